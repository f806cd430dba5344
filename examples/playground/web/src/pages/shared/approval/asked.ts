import { later } from "../../../ui/later";

/** ApprovalCard is fetched with the first question: most calls ask for no approval. */
export const ApprovalCard = later(async () => (await import("./approvalcard")).ApprovalCard, "the question");
