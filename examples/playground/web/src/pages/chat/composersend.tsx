import { announce, Button } from "../../ui/parts";
import { kept } from "../../ui/data";

const sendKey = "lp-send-key";

/** ctrlSends reports whether Control Enter sends, and Enter alone begins a line. */
export const ctrlSends = () => kept.read(sendKey) === "ctrl";

interface Props {
  text: string;
  ctrl: boolean;
  onCtrl: (ctrl: boolean) => void;
  running: boolean;
  stopping: boolean;
  onStop: () => void;
  busy: boolean;
  empty: boolean;
  /** Why nothing can be sent, or "". */
  blocked: string;
}

/** SendBar counts what is written, and sends it, queues it or stops the answer. */
export function SendBar({ text, ctrl, onCtrl, running, stopping, onStop, busy, empty, blocked }: Props) {
  const toggle = () => {
    onCtrl(!ctrl);
    kept.write(sendKey, ctrl ? null : "ctrl");
    announce(ctrl ? "Enter sends." : "Control Enter sends.");
  };
  return (
    <div class="row">
      <span class="hint num" data-testid="chat-count" title="An estimate: four characters are a token">
        {text.length > 0 &&
          text.length.toLocaleString("en") +
            " characters, ~" +
            Math.ceil(text.length / 4).toLocaleString("en") +
            " tokens"}
      </span>
      <Button tid="send-key" small kind="quiet" title="Change which key sends" onClick={toggle}>
        {ctrl ? "Ctrl Enter sends" : "Enter sends"}
      </Button>
      {running && (
        <Button tid="chat-stop" icon="stop" busy={stopping} onClick={onStop}>
          Stop
        </Button>
      )}
      <Button
        tid="chat-send"
        kind="primary"
        type="submit"
        busy={busy}
        disabled={blocked !== "" || empty}
        title={blocked || undefined}
      >
        {running ? "Queue" : "Send"}
      </Button>
    </div>
  );
}
