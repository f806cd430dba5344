/** chatDraft is where this browser keeps what was written and not sent: of a conversation, or of the one that is not begun. */
export const chatDraft = (id: string) => "lp-chat-draft-" + (id || "new");
