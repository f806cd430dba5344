// What attachments need: fetched with the first of them.
export { AttachmentChips } from "./attachmentchips";
export { attach, watchAttachments } from "./attachmentkeeper";
