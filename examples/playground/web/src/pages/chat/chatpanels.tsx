// What is opened beside a conversation: fetched with the first of it.
export { Again } from "./again";
export { take } from "./attachments";
export { ChatDialog } from "./chatdialogs";
export { ContextSide } from "./contextside";
export { Diagram } from "./diagram";
export { OutsidePicture } from "./outside";
