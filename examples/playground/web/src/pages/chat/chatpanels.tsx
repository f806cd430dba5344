// What is opened beside a conversation: fetched with the first of it.
export { Again } from "./again";
export { ApprovalCard } from "../approvals/approvalcard";
export { take } from "./attachments";
export { Rename } from "./chatdialogs";
export { ExportDialog } from "./chatexport";
export { Find } from "./chatfind";
export { Library } from "./chatlibrary";
export { SettingsDrawer } from "./chatsettings";
export { ContextPanel } from "./contextpanel";
export { Diagram } from "./diagram";
export { OutsidePicture } from "./outside";
export { ToolPicker } from "./toolpicker";
