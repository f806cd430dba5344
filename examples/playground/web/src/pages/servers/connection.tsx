import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post, send } from "../../api/client";
import type { McphubServerItem, McphubTrialItem, ServerSecretList } from "../../api/types";
import { go } from "../../router";
import { Page } from "../../shell/page";
import { useData } from "../../ui/data";
import { Button, Dialog, Loading, ProblemView, Segments, toast } from "../../ui/parts";
import { adopt } from "../../ui/style";
import { badId, ConnectionDetails } from "./connectiondetails";
import { body, empty, formOf, type Form } from "./connectionform";
import { badPrefix, ToolChoice } from "./connectiontools";
import { useConsent } from "./consent";
import { DeleteServer } from "./deleteserver";
import { HTTPFields } from "./httpfields";
import { PasteClient } from "./pasteclient";
import { SecretProposals } from "./secretproposals";
import { StdioFields } from "./stdiofields";
import { TrialSteps } from "./trial";
import css from "../../styles/connections.css" with { type: "text" };

adopt(css);

/** missingOf says what the form still lacks; "" when it can be saved. */
function missingOf(form: Form): string {
  if (form.id === "") return "Give it an id.";
  if (badId(form.id)) return "Change the id.";
  if (badPrefix(form.prefix)) return "Change the prefix of its tools.";
  if (form.transport === "stdio") return form.command === "" ? "Name the program." : "";
  return /^https?:\/\//.test(form.url) || form.url.startsWith("${")
    ? ""
    : "Give a URL that begins with http:// or https://.";
}

/** Connection is the form of a connection: of a new one, or of the server that args name. */
export function Connection({ args }: { args: string[] }) {
  const given = args[0] ?? "";
  const [server, setServer] = useState<McphubServerItem | null>(null);
  const [form, setForm] = useState<Form | null>(given ? null : empty());
  const live = useData<McphubServerItem | null>(
    async (s) => (given ? get<McphubServerItem>("/api/mcp/servers/" + encodeURIComponent(given), s) : null),
    [given],
  );
  useEffect(() => {
    if (!live.data || form) return;
    setServer(live.data);
    setForm(formOf(live.data));
  }, [live.data]);
  const title = given ? "Edit " + (server?.name || given) : "Connect a server";
  const crumbs: [string, string][] = [
    ["MCP Servers", "/servers"],
    ...(given ? [[given, "/servers/" + encodeURIComponent(given)] as [string, string]] : []),
  ];
  if (form) return <ConnectionForm {...{ given, title, crumbs, server, setServer, form, setForm }} />;
  return (
    <Page title={title} crumbs={crumbs}>
      {live.error !== null ? (
        <ProblemView error={live.error} retry={live.reload} />
      ) : (
        <Loading what="the connection" />
      )}
    </Page>
  );
}

function ConnectionForm({
  given,
  title,
  crumbs,
  server,
  setServer,
  form,
  setForm,
}: {
  given: string;
  title: string;
  crumbs: [string, string][];
  server: McphubServerItem | null;
  setServer: (s: McphubServerItem) => void;
  form: Form;
  setForm: (f: Form) => void;
}) {
  const [failure, fail] = useState<unknown>(null);
  const [trial, setTrial] = useState<McphubTrialItem | null>(null);
  const [busy, setBusy] = useState("");
  const [deleting, setDeleting] = useState(false);
  const [stale, setStale] = useState<McphubServerItem | null>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => told.current?.scrollIntoView({ block: "nearest" }), [failure, trial]);
  const consent = useConsent([form.command, ...form.args]);
  const secrets = useData<ServerSecretList>((s) => get("/api/secrets", s), [], ["settings"]);
  const known = new Set((secrets.data?.items ?? []).filter((s) => s.origin !== "missing").map((s) => s.name));
  const set = (p: Partial<Form>) => (setTrial(null), setForm({ ...form, ...p }));
  const reason = missingOf(form);
  const consentReason =
    form.transport === "stdio" && !consent.given ? "Tick that this program may run on your machine." : "";
  const noted = () => form.transport === "stdio" && consent.note();
  const save = async (connect: boolean) => {
    setBusy(connect ? "connect" : "save");
    fail(null);
    try {
      const { data } = await send<McphubServerItem>(
        "POST",
        "/api/mcp/servers",
        body(form, server?.version ?? 0),
      );
      const name = data.name || data.id;
      if (connect) {
        noted();
        await post("/api/mcp/servers/" + encodeURIComponent(data.id) + "/connect").then(
          () => toast("Connected " + name),
          () => toast("Saved " + name + ", but it could not be connected.", undefined, true),
        );
      } else toast("Saved " + name);
      go("/servers/" + encodeURIComponent(data.id), !given);
    } catch (e) {
      const current = e instanceof ApiError ? (e.problem.current as McphubServerItem | undefined) : undefined;
      if (current && e instanceof ApiError && e.code === "version_conflict") setStale(current);
      else fail(e);
      setBusy("");
    }
  };
  const test = async () => {
    setBusy("test");
    setTrial(null);
    fail(null);
    try {
      noted();
      setTrial(await post<McphubTrialItem>("/api/mcp/servers/test", body(form, server?.version ?? 0)));
    } catch (e) {
      fail(e);
    } finally {
      setBusy("");
    }
  };
  return (
    <Page
      title={title}
      crumbs={crumbs}
      own={[{ id: "save", label: "Save", keys: "mod+s", run: () => reason === "" && void save(false) }]}
    >
      <div class="stack">
        {!given && <PasteClient fill={(found) => set({ ...found, id: (found.id ?? "") || form.id })} />}
        <div class="split form">
          <ConnectionDetails given={given} form={form} set={set} />
          <section class="card stack reach">
            <Segments
              tid="transport"
              label="Transport"
              value={form.transport}
              options={[
                ["http", "Streamable HTTP"],
                ["stdio", "stdio"],
                ["sse", "SSE (legacy)"],
              ]}
              onChange={(transport) => set({ transport })}
            />
            {form.transport === "stdio" ? (
              <StdioFields form={form} set={set} known={known} consent={consent} />
            ) : (
              <HTTPFields form={form} set={set} known={known} />
            )}
            <SecretProposals form={form} set={set} fail={fail} />
            {server?.masked && (
              <p class="hint">
                *** stands for what is stored in {server.masked.join(", ")}. Left as it is, it stays.
              </p>
            )}
            {(failure !== null || trial) && (
              <div class="stack" ref={told}>
                {failure !== null && <ProblemView error={failure} />}
                {trial && <TrialSteps trial={trial} />}
              </div>
            )}
          </section>
          <ToolChoice given={given} form={form} set={set} />
        </div>
      </div>
      <div class="actionbar">
        {server && (
          <Button tid="server-delete" small kind="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
        <span class="grow hint" data-testid="server-reason">
          {reason || consentReason}
        </span>
        {given && (
          <a
            class="btn small quiet"
            href={"/servers/" + encodeURIComponent(given)}
            data-testid="server-cancel"
          >
            Cancel
          </a>
        )}
        <Button
          tid="server-test"
          small
          busy={busy === "test"}
          disabled={reason !== "" || consentReason !== ""}
          onClick={() => void test()}
        >
          Test connection
        </Button>
        <Button
          tid="server-save"
          small
          busy={busy === "save"}
          disabled={reason !== ""}
          onClick={() => void save(false)}
        >
          Save
        </Button>
        <Button
          tid="server-save-connect"
          small
          kind="primary"
          busy={busy === "connect"}
          disabled={reason !== "" || consentReason !== ""}
          onClick={() => void save(true)}
        >
          Save and connect
        </Button>
      </div>
      {deleting && server && <DeleteServer server={server} onClose={() => setDeleting(false)} fail={fail} />}
      {stale && (
        <Dialog tid="conflict-dialog" title="Somebody else saved this server" onClose={() => setStale(null)}>
          <footer>
            <Button
              tid="conflict-take"
              onClick={() => (setServer(stale), setForm(formOf(stale)), setStale(null))}
            >
              Take theirs
            </Button>
            <Button tid="conflict-keep" kind="primary" onClick={() => (setServer(stale), setStale(null))}>
              Keep mine
            </Button>
          </footer>
        </Dialog>
      )}
    </Page>
  );
}
