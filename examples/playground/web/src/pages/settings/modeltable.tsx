import { useState } from "preact/hooks";
import { post } from "../../api/client";
import type { ChatAPIModel, ChatAPIProvider, ChatStoredModel, ServerModelState } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { bytes, Button, Dialog, toast } from "../../ui/parts";

const abilities: [string, string][] = [
  ["tools", "calls tools"],
  ["vision", "sees pictures"],
  ["thinking", "thinks"],
  ["structuredOutput", "answers in schemas"],
];
const canDo = (m: ChatAPIModel) =>
  abilities
    .filter(([k]) => (m.capabilities as Record<string, unknown> | undefined)?.[k])
    .map(([, text]) => text)
    .join(", ") || "writes text";

interface Props {
  provider: ChatAPIProvider;
  models: ChatAPIModel[];
  now: ServerModelState | null;
  onUse: (name: string) => void;
  onChange: () => void;
  onFail: (e: unknown) => void;
}

/** ModelTable lists the models of one provider; those on a server of one's own with their sizes. */
export function ModelTable({ provider, models, now, onUse, onChange, onFail }: Props) {
  const [deleting, setDeleting] = useState<ChatStoredModel | null>(null);
  const [busy, setBusy] = useState("");
  const stored = new Map((provider.stored ?? []).map((s) => [s.name, s]));
  const others = (provider.stored ?? []).filter((s) => !models.some((m) => m.name === s.name));
  const act = async (what: "unload" | "delete", name: string) => {
    setBusy(what + name);
    try {
      await post("/api/models/" + what, { provider: provider.id, name });
      toast(name + (what === "unload" ? " was removed from memory." : " was deleted."));
      setDeleting(null);
      onChange();
    } catch (e) {
      setDeleting(null);
      onFail(e);
    }
    setBusy("");
  };
  const size = (s: ChatStoredModel | undefined) =>
    !s ? "" : (s.bytes ? bytes(s.bytes) : "not known") + (s.loadedBytes ? ", loaded" : "");
  const chosen = (name: string) => now?.provider === provider.id && now.name === name;
  const keeping = (s: ChatStoredModel | undefined) =>
    s && (
      <>
        {Boolean(s.loadedBytes) && (
          <Button
            tid="model-unload"
            dataId={provider.id + "/" + s.name}
            small
            kind="quiet"
            busy={busy === "unload" + s.name}
            onClick={() => void act("unload", s.name)}
          >
            Unload
          </Button>
        )}
        {!chosen(s.name) && (
          <Button
            tid="model-delete"
            dataId={provider.id + "/" + s.name}
            small
            kind="quiet"
            onClick={() => setDeleting(s)}
          >
            Delete
          </Button>
        )}
      </>
    );
  return (
    <>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Can</th>
            <th scope="col">Context</th>
            {provider.canDelete && <th scope="col">Size</th>}
            <th scope="col">
              <span class="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map((m) => (
            <tr key={m.name} data-testid="model-row" data-id={m.provider + "/" + m.name}>
              <td>
                <Foreign text={m.name} />
              </td>
              <td data-label="Can" class="muted">
                {canDo(m)}
              </td>
              <td data-label="Context" class="num">
                {m.contextTokens ? m.contextTokens.toLocaleString("en") : "not known"}
              </td>
              {provider.canDelete && (
                <td data-label="Size" class="num" data-testid="model-size">
                  {size(stored.get(m.name))}
                </td>
              )}
              <td>
                <span class="row">
                  {chosen(m.name) ? (
                    <span class="ok">chosen</span>
                  ) : (
                    <Button
                      tid="model-use"
                      dataId={m.provider + "/" + m.name}
                      small
                      onClick={() => onUse(m.name)}
                    >
                      Use
                    </Button>
                  )}
                  {keeping(stored.get(m.name))}
                </span>
              </td>
            </tr>
          ))}
          {others.map((s) => (
            <tr key={s.name} data-testid="model-stored" data-id={provider.id + "/" + s.name}>
              <td>
                <Foreign text={s.name} />
              </td>
              <td data-label="Can" class="muted">
                makes embeddings
              </td>
              <td data-label="Context" />
              <td data-label="Size" class="num">
                {size(s)}
              </td>
              <td>
                <span class="row">{keeping(s)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {deleting && (
        <Dialog
          tid="model-delete-dialog"
          title={"Delete " + deleting.name + "?"}
          onClose={() => setDeleting(null)}
        >
          <p>
            It is removed from the disk of its server
            {deleting.bytes ? ", which frees up to " + bytes(deleting.bytes) : ""}. It has to be fetched again
            before it can answer.
          </p>
          <footer>
            <Button tid="model-delete-cancel" onClick={() => setDeleting(null)}>
              Keep it
            </Button>
            <Button
              tid="model-delete-confirm"
              kind="danger"
              busy={busy !== ""}
              onClick={() => void act("delete", deleting.name)}
            >
              Delete model
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
