// The acceptance scenarios of the playground that its surfaces cover, in
// Chromium, through the real program.
//
//   node scenarios.mjs PLAYGROUND WORKDIR [UPSTREAM.js] [NUMBER,NUMBER…]
//
// UPSTREAM.js is the "everything" server; without it what needs one is left out.
// LOCALPASS_SHOTS names a folder for pictures. Programs for which
// LOCALPASS_SHARE names one folder share the work: each file is taken by one.
import { finish, taken } from "./world.mjs";
import { shell } from "./shell.mjs";
import { gallery } from "./gallery.mjs";
import { studio } from "./studio.mjs";
import { studioMore } from "./studiomore.mjs";
import { studioRun } from "./studiorun.mjs";
import { documents } from "./documents.mjs";
import { workbench } from "./workbench.mjs";
import { servers } from "./servers.mjs";
import { serversMore } from "./serversmore.mjs";
import { serverPage } from "./serverpage.mjs";
import { effects } from "./effects.mjs";
import { access } from "./access.mjs";
import { signin } from "./signin.mjs";
import { approvals } from "./approvals.mjs";
import { approvalsMore } from "./approvalsmore.mjs";
import { chat } from "./chat.mjs";
import { attachments } from "./attachments.mjs";
import { chatList } from "./chatlist.mjs";
import { chatModels } from "./chatmodels.mjs";
import { configured } from "./configured.mjs";
import { connectModels } from "./connectmodels.mjs";
import { chatCards } from "./chatcards.mjs";
import { chatView } from "./chatview.mjs";
import { guard } from "./guard.mjs";
import { home } from "./home.mjs";
import { tour } from "./tour.mjs";
import { observe } from "./observe.mjs";
import { look } from "./look.mjs";
import { walls } from "./walls.mjs";
import { attack } from "./attack.mjs";
import { catalogue } from "./catalogue.mjs";

// The longest first.
for (const file of [chat, studio, shell, servers, chatModels, approvals, guard, home, observe, signin, configured, connectModels, chatCards, chatView, chatList, serversMore, serverPage, walls, access, studioMore, studioRun, gallery, workbench, documents, attachments, approvalsMore, effects, attack, look, catalogue, tour]) if (taken(file.name)) await file();
await finish();
