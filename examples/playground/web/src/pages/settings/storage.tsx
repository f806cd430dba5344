import { useRef, useState } from "preact/hooks";
import { ApiError, get, post, send } from "../../api/client";
import type { ServerStorage, ServerStorageChange } from "../../api/types";
import { useData } from "../../ui/data";
import { Button, bytes, Dialog, Loading, ProblemView, Text } from "../../ui/parts";

const names: Record<string, string> = {
  tools: "Tools and passes",
  conversations: "Conversations",
  documents: "Documents",
  servers: "Servers",
  approvals: "Approvals",
  logs: "Logs",
  secrets: "Keys and secrets",
  workspace: "Workspace of tools",
  before: "What the last restore replaced",
  other: "Other",
};

/** send a backup as it is: it is no JSON. */
async function restore(file: File): Promise<ServerStorageChange> {
  const answer = await fetch("/api/storage/restore", {
    method: "POST",
    headers: { "Content-Type": "application/zip", Accept: "application/json" },
    body: file,
    credentials: "same-origin",
  });
  const text = await answer.text();
  if (!answer.ok) throw new ApiError(JSON.parse(text), answer.status);
  return JSON.parse(text) as ServerStorageChange;
}

/** StorageSection shows what the home holds, takes it along, brings it back, and empties it. */
export function StorageSection() {
  const { data, error, reload } = useData<ServerStorage>((s) => get("/api/storage", s), [], ["settings"]);
  const [dialog, open] = useState<"restore" | "reset" | "">("");
  const [file, choose] = useState<File | null>(null);
  const [word, setWord] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const [taken, take] = useState<ServerStorageChange | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const close = () => (open(""), choose(null), setWord(""), fail(null));
  const act = async (run: () => Promise<ServerStorageChange>) => {
    setBusy(true);
    fail(null);
    try {
      take(await run());
      close();
      reload();
    } catch (e) {
      fail(e);
    }
    setBusy(false);
  };
  if (error !== null && !data) return <ProblemView error={error} retry={reload} />;
  if (!data) return <Loading what="the sizes" lines={4} />;
  const largest = Math.max(1, ...data.parts.map((p) => p.bytes));
  return (
    <>
      <dl class="kv">
        <dt>Home</dt>
        <dd>
          <code data-testid="storage-home">{data.home}</code>
        </dd>
        <dt>Workspace</dt>
        <dd>
          <code>{data.workspace}</code>
        </dd>
        <dt>Holds</dt>
        <dd class="num" data-testid="storage-total">
          {bytes(data.bytes)}
        </dd>
      </dl>
      <ul class="sizes" aria-label="What takes the room">
        {data.parts.map((p) => (
          <li data-testid="storage-part" data-id={p.id}>
            <span>{names[p.id] ?? p.id}</span>
            <meter min={0} max={largest} value={p.bytes} aria-label={names[p.id] ?? p.id} />
            <span class="num">{bytes(p.bytes)}</span>
          </li>
        ))}
      </ul>
      {taken && (
        <p class="note mid" role="status" data-testid="storage-taken">
          {taken.restarting
            ? "The program begins anew. This page reconnects by itself."
            : "It is done at the next start of the program."}
        </p>
      )}
      {data.pending && !taken?.restarting && (
        <div class="note mid row" data-testid="storage-pending">
          <span class="grow">
            {data.pending === "restore"
              ? "A backup is brought back at the next start."
              : "The home is emptied at the next start."}
          </span>
          <Button
            tid="storage-keep"
            small
            onClick={() => void send("DELETE", "/api/storage/pending").then(reload, fail)}
          >
            Leave it as it is
          </Button>
        </div>
      )}
      {failure !== null && dialog === "" && <ProblemView error={failure} />}
      <h3>Backup</h3>
      <p class="hint">
        Tools and their passes, conversations, servers, approvals and logs, as one ZIP file. Keys, secrets,
        the workspace and the file of settings are not in it.
      </p>
      <div class="row">
        <a class="btn" href="/api/storage/backup" download data-testid="backup-download">
          Download a backup
        </a>
        <Button tid="backup-restore" onClick={() => open("restore")}>
          Bring a backup back…
        </Button>
      </div>
      <h3>Reset</h3>
      <p class="hint">Removes everything of the home but the workspace and the file of settings.</p>
      <div class="row">
        <Button tid="storage-reset" kind="danger" onClick={() => open("reset")}>
          Reset the home…
        </Button>
      </div>
      {dialog === "restore" && (
        <Dialog tid="restore-dialog" title="Bring a backup back?" onClose={close}>
          <p>
            It takes the place of all tools, passes, conversations, servers, approvals and logs. What is there
            now is moved to <code>_before</code> in the home. Keys, secrets and the workspace stay.
          </p>
          <p>
            What it allows unasked is not trusted: its servers wait until you connect them, and its policies
            and grants that let calls run without a question are left out.
          </p>
          <p>
            {data.restarts
              ? "The program begins anew for that; calls that run now end."
              : "It is done at the next start of the program."}{" "}
            Close other programs that use this home.
          </p>
          <input
            ref={picker}
            type="file"
            accept=".zip,application/zip"
            class="vh"
            tabIndex={-1}
            aria-label="Backup"
            data-testid="restore-file"
            onChange={(e) => (choose(e.currentTarget.files?.[0] ?? null), fail(null))}
          />
          <div class="row">
            <Button tid="restore-choose" onClick={() => picker.current?.click()}>
              Choose a file
            </Button>
            <span class="wrap muted" data-testid="restore-name">
              {file ? file.name + ", " + bytes(file.size) : "No file is chosen."}
            </span>
          </div>
          {failure !== null && <ProblemView error={failure} />}
          <footer>
            <Button tid="restore-cancel" onClick={close}>
              Cancel
            </Button>
            <Button
              tid="restore-confirm"
              kind="primary"
              busy={busy}
              disabled={!file}
              onClick={() => void act(() => restore(file!))}
            >
              Bring it back
            </Button>
          </footer>
        </Dialog>
      )}
      {dialog === "reset" && (
        <Dialog tid="reset-dialog" title="Reset the home?" onClose={close}>
          <p>
            All tools, passes, conversations, servers, approvals, keys, secrets and logs in{" "}
            <code>{data.home}</code> are removed: {bytes(data.bytes)}. This cannot be undone.{" "}
            <a href="/api/storage/backup" download data-testid="reset-backup">
              Download a backup first
            </a>
            .
          </p>
          <Text tid="reset-word" label="Type reset to confirm" value={word} onInput={setWord} />
          {failure !== null && <ProblemView error={failure} />}
          <footer>
            <Button tid="reset-cancel" onClick={close}>
              Keep everything
            </Button>
            <Button
              tid="reset-confirm"
              kind="danger"
              busy={busy}
              disabled={word !== "reset"}
              onClick={() => void act(() => post("/api/storage/reset", { confirm: word }))}
            >
              Remove everything
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
