import { useState } from "preact/hooks";
import { post, send } from "../../api/client";
import type { ServerModelServer, ServerModelTest } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { Button, Check, Dialog, ProblemView, Select, Text, toast } from "../../ui/parts";
import { bodyOf, formOf, kinds, nameError, ofKind, type Kind } from "./modelserver";

interface Props {
  /** The server to change; null connects another. */
  server: ServerModelServer | null;
  taken: string[];
  onClose: () => void;
  onDone: () => void;
}

const path = "/api/settings/model/servers";

/** ModelServerDialog connects a model server, or changes one. Its key is tested before it is stored. */
export function ModelServerDialog({ server, taken, onClose, onDone }: Props) {
  const [form, setForm] = useState(formOf(server));
  const [busy, setBusy] = useState("");
  const [result, setResult] = useState<ServerModelTest | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const [use, setUse] = useState(server === null);
  const change = (next: Partial<typeof form>) => (setForm({ ...form, ...next }), setResult(null), fail(null));
  const wrongName = server ? undefined : nameError(form.name, taken);
  const run = async (what: string, act: () => Promise<void>) => {
    setBusy(what);
    fail(null);
    try {
      await act();
    } catch (e) {
      fail(e);
    }
    setBusy("");
  };
  const test = async () => {
    const got = await post<ServerModelTest>(path + "/test", {
      ...(server ? { name: server.name } : {}),
      ...bodyOf(form),
    });
    setResult(got);
    return got;
  };
  const connect = async () => {
    const got = await test();
    if (!got.ok) return;
    await send("PUT", path + "/" + form.name, bodyOf(form));
    const model = form.model || got.models[0];
    if (use && model) await send("PUT", "/api/settings/model", { provider: form.name, name: model });
    toast(use && model ? model + " answers new conversations from now on." : form.name + " is connected.");
    onDone();
  };
  const local = form.kind === "ollama";
  return (
    <Dialog
      tid="model-server-dialog"
      title={server ? "Edit " + server.name : "Connect a model server"}
      onClose={onClose}
    >
      <form class="stack" onSubmit={(e) => (e.preventDefault(), void run("connect", connect))}>
        <div class="two">
          <Select
            tid="server-kind"
            label="Provider"
            value={form.kind}
            options={kinds.map(([k, word]): [string, string] => [k, word])}
            onChange={(k) => (setForm(ofKind(form, k as Kind)), setResult(null))}
          />
          {!server && (
            <Text
              tid="server-name"
              label="Name"
              value={form.name}
              error={wrongName}
              onInput={(name) => change({ name })}
            />
          )}
        </div>
        <Text
          tid="server-address"
          label="Address"
          mono
          value={form.address}
          hint={local ? "Where Ollama listens." : "The address of its API. Most end with /v1."}
          onInput={(address) => change({ address })}
        />
        <Text
          tid="server-key"
          label="Key"
          type="password"
          value={form.key}
          hint={
            server?.key === "stored"
              ? "A key is stored. Leave this empty to keep it; it is used for this server only."
              : local
                ? "Ollama on this machine needs none."
                : "It is tested, then sealed in the home of this program, never shown again, and sent to this server only."
          }
          onInput={(key) => change({ key })}
        />
        {server && server.key !== "none" && form.key === "" && (
          <Check tid="server-drop-key" checked={form.dropKey} onChange={(dropKey) => change({ dropKey })}>
            Use no key any more
          </Check>
        )}
        <Text
          tid="server-model"
          label="Model"
          value={form.model}
          {...(result ? { list: result.models } : {})}
          hint="Empty: the first that the server lists."
          onInput={(model) => setForm({ ...form, model })}
        />
        {!server && (
          <Check tid="server-use" checked={use} onChange={setUse}>
            Answer new conversations with it
          </Check>
        )}
        {result && (
          <p
            class={result.ok ? "ok" : "note bad"}
            role="alert"
            data-testid="server-result"
            data-ok={result.ok}
          >
            {result.ok ? (
              "The server answers and lists " +
              (result.models.length === 1 ? "1 model." : result.models.length + " models.")
            ) : (
              <>
                <Foreign text={result.problem ?? ""} /> <Foreign text={result.advice ?? ""} />
              </>
            )}
          </p>
        )}
        {failure !== null && <ProblemView error={failure} />}
        <footer>
          <Button
            tid="server-test"
            busy={busy === "test"}
            disabled={busy !== ""}
            onClick={() => void run("test", async () => void (await test()))}
          >
            Test
          </Button>
          <Button
            tid="server-connect"
            kind="primary"
            type="submit"
            busy={busy === "connect"}
            disabled={busy !== "" || Boolean(wrongName) || form.address.trim() === ""}
          >
            {server ? "Save" : "Connect"}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
