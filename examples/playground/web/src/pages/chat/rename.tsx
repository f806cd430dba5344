import { useState } from "preact/hooks";
import { Button, Dialog, ProblemView, Text } from "../../ui/parts";

/** Rename gives a conversation another title. */
export function Rename({
  title,
  onClose,
  onSave,
}: {
  title: string;
  onClose: () => void;
  onSave: (t: string) => Promise<unknown>;
}) {
  const [text, set] = useState(title);
  const [failure, fail] = useState<unknown>(null);
  return (
    <Dialog tid="rename-dialog" title="Rename the conversation" onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), void onSave(text).then(onClose, fail))}>
        <Text
          tid="rename-title"
          label="Title"
          value={text}
          onInput={set}
          error={
            text.trim() === ""
              ? "A title has at least one letter."
              : text.length > 200
                ? "At most 200 letters."
                : undefined
          }
        />
        {failure !== null && <ProblemView error={failure} />}
        <div class="row end">
          <Button
            tid="rename-save"
            type="submit"
            kind="primary"
            disabled={text.trim() === "" || text.length > 200}
          >
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
