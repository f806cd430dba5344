// What the studio fetches when it is first opened: it is one file of the build.
export { Conflict } from "./conflict";
export { Generate } from "./generatedialog";
export { History } from "./history";
export { Params } from "./params";
export { Propose } from "./propose";
export { Sandbox } from "./sandbox";
export { Share } from "./share";
export { SpecJSON } from "./specjson";
export { Variables } from "./variables";
