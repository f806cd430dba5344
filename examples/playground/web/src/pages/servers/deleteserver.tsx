import { send } from "../../api/client";
import type { McphubServerItem } from "../../api/types";
import { go } from "../../router";
import { Button, Dialog, toast } from "../../ui/parts";

/** DeleteServer asks before a connection is deleted. */
export function DeleteServer({
  server,
  onClose,
  fail,
}: {
  server: McphubServerItem;
  onClose: () => void;
  fail: (e: unknown) => void;
}) {
  const name = server.name || server.id;
  const remove = async () => {
    try {
      await send("DELETE", "/api/mcp/servers/" + encodeURIComponent(server.id));
      go("/servers");
      toast("Deleted " + name + ".");
    } catch (e) {
      fail(e);
      onClose();
    }
  };
  return (
    <Dialog tid="server-delete-dialog" title={"Delete " + name + "?"} onClose={onClose}>
      <p>It is disconnected, and chats and clients lose its tools.</p>
      <footer>
        <Button tid="server-delete-cancel" onClick={onClose}>
          Keep it
        </Button>
        <Button tid="server-delete-confirm" kind="danger" onClick={() => void remove()}>
          Delete server
        </Button>
      </footer>
    </Dialog>
  );
}
