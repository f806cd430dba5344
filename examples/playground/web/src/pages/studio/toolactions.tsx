import { post, send } from "../../api/client";
import type { StudioTool } from "../../api/types";
import { go } from "../../router";
import { Button, Dialog, toast } from "../../ui/parts";
import { download } from "./download";
import { tryIn } from "./words";

/** Deleting waits a little, so that it can be undone. */
async function removeTool(t: StudioTool, gone: () => void) {
  const { data } = await send<{ spec: unknown }>("GET", "/api/tools/" + encodeURIComponent(t.id));
  await send("DELETE", "/api/tools/" + encodeURIComponent(t.id), undefined, {
    ifMatch: '"v' + t.version + '"',
  });
  gone();
  toast("Deleted " + t.name + ".", {
    label: "Undo",
    run: () =>
      void post("/api/tools", data.spec).then(() => (gone(), toast("Restored " + t.name + " as a draft."))),
  });
}

/** fork makes a draft of one's own of a tool and opens it. */
export async function fork(t: StudioTool) {
  const { data } = await send<{ id: string }>("POST", "/api/tools/" + encodeURIComponent(t.id) + "/fork");
  go("/tools/" + encodeURIComponent(data.id));
}

/** ToolActions is what can be done with a tool of the list. */
export function ToolActions({
  t,
  act,
  reload,
  onShare,
  onClose,
}: {
  t: StudioTool;
  act: (what: () => Promise<unknown>) => Promise<void>;
  reload: () => void;
  onShare: (t: StudioTool) => void;
  onClose: () => void;
}) {
  const at = "/api/tools/" + encodeURIComponent(t.id);
  return (
    <Dialog tid="tool-actions" title={t.name} onClose={onClose}>
      <div class="row">
        <Button tid="action-open" onClick={() => go("/tools/" + encodeURIComponent(t.id))}>
          Open
        </Button>
        <Button
          tid="action-test"
          onClick={() =>
            act(async () => {
              const { data } = await send<{ state: string; message?: string }>(
                "POST",
                at + "/runs?wait=1",
                {},
              );
              toast(
                data.state === "passed" ? t.name + " passed." : t.name + ": " + (data.message ?? data.state),
                undefined,
                data.state !== "passed",
              );
            })
          }
        >
          Test
        </Button>
        <Button tid="action-fork" onClick={() => act(() => fork(t))}>
          Fork
        </Button>
        <Button tid="action-export" onClick={() => act(() => download([t.id], t.name))}>
          Export JSON
        </Button>
        <Button tid="action-share" onClick={() => (onClose(), onShare(t))}>
          Use elsewhere
        </Button>
        {t.live && (
          <a class="btn" href={tryIn(t.name)} data-testid="action-chat">
            Use in chat
          </a>
        )}
        {t.state === "hidden" && t.serving !== "name_taken" && (
          <Button
            tid="action-expose"
            onClick={() =>
              act(async () => {
                await post(at + "/expose");
                toast("Clients are offered " + t.name + ".");
              })
            }
          >
            Offer to clients
          </Button>
        )}
        {t.published && (
          <Button
            tid="action-unpublish"
            onClick={() =>
              act(async () => {
                await post(at + "/unpublish");
                toast(t.name + " is unpublished. Its pass stays valid.");
              })
            }
          >
            Unpublish
          </Button>
        )}
        {t.source === "mine" && (
          <Button tid="action-delete" kind="danger" onClick={() => act(() => removeTool(t, reload))}>
            Delete
          </Button>
        )}
      </div>
      {t.live && t.source === "mine" && <p class="hint">Deleting unpublishes it at once.</p>}
    </Dialog>
  );
}
