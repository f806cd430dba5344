import { send } from "../../api/client";
import { announce, toast } from "../../ui/parts";

/** throwAway deletes conversations, and offers to take that back. */
export async function throwAway(list: { id: string; title: string }[]) {
  const patch = (deleted: boolean) =>
    Promise.all(list.map((c) => send("PATCH", "/api/conversations/" + c.id, { deleted })));
  await patch(true);
  const what =
    list.length === 1 ? "“" + (list[0]!.title || "New chat") + "”" : list.length + " conversations";
  const restored = () => announce("Taken back.");
  const failed = (e: unknown) =>
    toast("It could not be taken back: " + (e instanceof Error ? e.message : String(e)), undefined, true);
  toast("Deleted " + what + ".", { label: "Undo", run: () => void patch(false).then(restored, failed) });
}
