// The acceptance scenarios of the playground that its surfaces cover, in
// Chromium, through the real program.
//
//   node scenarios.mjs PLAYGROUND WORKDIR [UPSTREAM.js] [NUMBER,NUMBER…]
//
// UPSTREAM.js is the "everything" server; without it what needs one is left out.
// LOCALPASS_SHOTS names a folder for pictures.
import { finish } from "./world.mjs";
import { shell } from "./shell.mjs";
import { studio } from "./studio.mjs";
import { servers } from "./servers.mjs";
import { approvals } from "./approvals.mjs";
import { guard } from "./guard.mjs";

await shell();
await studio();
await servers();
await approvals();
await guard();
await finish();
