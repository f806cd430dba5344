import { Button } from "../../ui/parts";
import type { Asking } from "./asking";

/** ComposerNotes say that a question is being changed, and which message is queued. */
export function ComposerNotes({ asking, onEdit }: { asking: Asking; onEdit: () => void }) {
  return (
    <>
      {asking.editing && (
        <div class="row spread">
          <span class="hint">The changed question begins a branch; the old one stays.</span>
          <Button tid="edit-cancel" small kind="quiet" onClick={asking.cancelEdit}>
            Keep as it was
          </Button>
        </div>
      )}
      {asking.queued && (
        <div class="row spread note" data-testid="queued">
          <span class="wrap">Queued: will be sent after this turn. {asking.queued}</span>
          <span class="row nowrap">
            <Button tid="queued-edit" small kind="quiet" onClick={onEdit}>
              Edit
            </Button>
            <Button tid="queued-remove" small kind="quiet" onClick={() => asking.queue("")}>
              Remove
            </Button>
          </span>
        </div>
      )}
    </>
  );
}
