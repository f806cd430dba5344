import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post, send } from "../../api/client";
import type { McphubServerItem, McphubTrialItem, ServerSecretList } from "../../api/types";
import { go } from "../../router";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import {
  Ago,
  Button,
  Check,
  counted,
  Dialog,
  Loading,
  ProblemView,
  Segments,
  Text,
  toast,
} from "../../ui/parts";
import { intoLast } from "../shared/last";
import { Page } from "../../shell/page";
import { body, empty, formOf, fromClient, proposal, type Form, type Pair } from "./connectionform";
import { badPrefix, ToolChoice } from "./connectiontools";
import { useConsent } from "./consent";
import { OAuthFields } from "./oauthfields";
import { ServerTools } from "./servertools";
import { meaningOf, ServerState } from "./serverstate";
import { SignIn } from "./signin";
import { TrialSteps } from "./trial";
import { adopt } from "../../ui/style";
import css from "../../styles/connections.css" with { type: "text" };

adopt(css);

function Pairs({
  tid,
  label,
  list,
  onChange,
  known,
  presets,
}: {
  tid: string;
  label: string;
  list: Pair[];
  onChange: (l: Pair[]) => void;
  known: Set<string>;
  presets?: [string, Pair][];
}) {
  return (
    <fieldset class="field">
      <legend class="label">{label}</legend>
      {list.map((p, i) => {
        return (
          <div class="stack tight" key={i}>
            <div class="row nowrap">
              <input
                class="input mono"
                aria-label={label + ", name"}
                data-testid={tid + "-name"}
                value={p.name}
                onInput={(e) =>
                  onChange(list.map((q, j) => (j === i ? { ...q, name: e.currentTarget.value } : q)))
                }
              />
              <input
                class="input mono"
                aria-label={label + ", value"}
                data-testid={tid + "-value"}
                value={p.value}
                autocomplete="off"
                onInput={(e) =>
                  onChange(list.map((q, j) => (j === i ? { ...q, value: e.currentTarget.value } : q)))
                }
              />
              <Button
                tid={tid + "-remove"}
                small
                kind="quiet"
                icon="close"
                label={"Remove " + p.name}
                onClick={() => onChange(list.filter((_, j) => j !== i))}
              />
            </div>
            <Placeholders texts={[p.value]} known={known} />
          </div>
        );
      })}
      <div class="row">
        <Button
          tid={tid + "-add"}
          small
          icon="plus"
          onClick={() => (onChange([...list, { name: "", value: "" }]), intoLast(tid + "-name"))}
        >
          Row
        </Button>
        {(presets ?? []).map(([name, p]) => (
          <Button
            tid={tid + "-preset"}
            dataId={name}
            small
            kind="quiet"
            onClick={() => onChange([...list.filter((q) => q.name !== p.name), p])}
          >
            {name}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

/** Placeholders tells of each name in a text whether it has a value. */
function Placeholders({ texts, known }: { texts: string[]; known: Set<string> }) {
  const used = [...new Set(texts.flatMap((t) => [...t.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map((m) => m[1]!)))];
  return (
    <>
      {used.map((n) => (
        <span
          class={known.has(n) ? "ok small" : "err"}
          data-testid="placeholder-state"
          data-id={n}
          data-known={known.has(n) ? "yes" : "no"}
        >
          {known.has(n) ? (
            n + " ✓ has a value"
          ) : (
            <>
              {n} has no value.{" "}
              <a href="/settings/secrets" data-testid="placeholder-set">
                Set it
              </a>
            </>
          )}
        </span>
      ))}
    </>
  );
}

export function Connection({ args }: { args: string[] }) {
  const given = args[0] ?? "";
  const [server, setServer] = useState<McphubServerItem | null>(null);
  const [form, setForm] = useState<Form | null>(given ? null : empty());
  const [error, setError] = useState<unknown>(null);
  const [failure, fail] = useState<unknown>(null);
  const [trial, setTrial] = useState<McphubTrialItem | null>(null);
  const [busy, setBusy] = useState("");
  const [pasted, setPasted] = useState("");
  const [deleting, setDeleting] = useState(false);
  const [stale, setStale] = useState<McphubServerItem | null>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => told.current?.scrollIntoView({ block: "nearest" }), [failure, trial]);
  const consent = useConsent([form?.command ?? "", ...(form?.args ?? [])]);
  const secrets = useData<ServerSecretList>((s) => get("/api/secrets", s), [], ["settings"]);
  const known = new Set((secrets.data?.items ?? []).filter((s) => s.origin !== "missing").map((s) => s.name));
  const live = useData<McphubServerItem | null>(
    async (s) => (given ? get<McphubServerItem>("/api/mcp/servers/" + encodeURIComponent(given), s) : null),
    [given],
    ["servers"],
  );
  useEffect(() => {
    if (live.error !== null) setError(live.error);
    if (live.data) {
      setServer(live.data);
      setForm((f) => f ?? formOf(live.data!));
    }
  }, [live.data, live.error]);
  useEffect(() => {
    const paste = (e: ClipboardEvent) => {
      if (/^(INPUT|TEXTAREA)$/.test((e.target as Element | null)?.tagName ?? "")) return;
      const found = fromClient(e.clipboardData?.getData("text/plain") ?? "");
      if (found) {
        e.preventDefault();
        fill(found);
      }
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  });
  const fill = (found: Partial<Form>) => {
    setForm((f) => ({ ...(f ?? empty()), ...found, id: given || (found.id ?? "") || (f?.id ?? "") }));
    setPasted(""); // it may hold a secret
    toast("Filled the form from the client's configuration.");
  };
  if (error !== null)
    return (
      <Page title="Server" crumbs={[["MCP Servers", "/servers"]]}>
        <ProblemView error={error} retry={() => location.reload()} />
      </Page>
    );
  if (!form)
    return (
      <Page title="Server" crumbs={[["MCP Servers", "/servers"]]}>
        <Loading what="the server" />
      </Page>
    );
  const set = (p: Partial<Form>) => (setTrial(null), setForm({ ...form, ...p }));
  const badId = form.id !== "" && !/^[A-Za-z0-9._-]{1,64}$/.test(form.id);
  const needsConsent = form.transport === "stdio" && !consent.given;
  const proposals = [
    ...form.headers.map((p) => ({ p, where: "headers" as const })),
    ...form.env.map((p) => ({ p, where: "env" as const })),
  ]
    .map(({ p, where }) => ({ found: proposal(form.id, p), p, where }))
    .filter((x) => x.found);
  const reason =
    form.id === ""
      ? "Give it an id."
      : badId
        ? "The id has characters that it cannot have."
        : badPrefix(form.prefix)
          ? "Change the prefix of its tools."
          : form.transport === "stdio"
            ? form.command === ""
              ? "Name the program."
              : ""
            : !/^https?:\/\//.test(form.url) && !form.url.startsWith("${")
              ? "Give a URL that begins with http:// or https://."
              : "";
  const consentReason = needsConsent ? "Tick that this program may run on your machine." : "";
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
      setServer(data);
      setForm(formOf(data));
      if (connect) {
        noted();
        try {
          await post("/api/mcp/servers/" + encodeURIComponent(data.id) + "/connect");
          toast("Connected " + (data.name || data.id));
        } catch (e) {
          fail(e);
        }
      } else toast("Saved " + (data.name || data.id));
      if (!given) go("/servers/" + encodeURIComponent(data.id), true);
    } catch (e) {
      const current = e instanceof ApiError ? (e.problem.current as McphubServerItem | undefined) : undefined;
      if (current && e instanceof ApiError && e.code === "version_conflict") setStale(current);
      else fail(e);
    } finally {
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
  const status = server?.status;
  return (
    <Page
      title={given ? form.name || given : "Connect a server"}
      crumbs={[["MCP Servers", "/servers"]]}
      own={[{ id: "save", label: "Save", keys: "mod+s", run: () => reason === "" && void save(false) }]}
    >
      <div class="stack">
        {status && server && (
          <section class="card row spread" data-testid="server-status">
            <span class="row">
              <ServerState state={server.disabled ? "disabled" : status.state} />
              {status.server?.name && (
                <span>
                  <Foreign text={status.server.name + " " + (status.server.version ?? "")} />
                </span>
              )}
              {status.protocol && <span class="chip">{status.protocol}</span>}
              <span class="num muted">
                {counted(status.toolCount, "tool")}
                {status.toolsLeftOut ? " (" + status.toolsLeftOut + " left out)" : ""},{" "}
                {counted(status.resourceCount, "resource")}, {counted(status.promptCount, "prompt")}
              </span>
              {status.lastSyncedAt && (
                <span class="muted small">
                  asked <Ago at={status.lastSyncedAt} />
                </span>
              )}
            </span>
            <span class="row">
              {status.state === "CONNECTED" ? (
                <Button
                  tid="server-stop"
                  onClick={() =>
                    void post("/api/mcp/servers/" + encodeURIComponent(given) + "/stop").then(
                      live.reload,
                      fail,
                    )
                  }
                >
                  Disconnect
                </Button>
              ) : (
                <Button
                  tid="server-connect"
                  disabled={consentReason !== ""}
                  onClick={() => (
                    noted(),
                    void post("/api/mcp/servers/" + encodeURIComponent(given) + "/connect").then(
                      live.reload,
                      fail,
                    )
                  )}
                >
                  Connect
                </Button>
              )}
              <Button
                tid="server-sync"
                onClick={() =>
                  void post("/api/mcp/servers/" + encodeURIComponent(given) + "/sync").then(live.reload, fail)
                }
                title="Asks the server again what it offers"
              >
                Refresh
              </Button>
              <a
                class="btn"
                href={"/servers/" + encodeURIComponent(given) + "/inspect/tools"}
                data-testid="server-inspect"
              >
                Inspect
              </a>
              <Button tid="server-delete" kind="danger" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            </span>
            {status.error && status.state !== "AWAITING_AUTHORIZATION" && (
              <p class="err wrap">
                <Foreign text={status.error} />
              </p>
            )}
            {!server.disabled && !status.missing && meaningOf(status.state) && (
              <p class="hint" data-testid="server-meaning">
                {meaningOf(status.state)}
              </p>
            )}
            {status.missing && (
              <p class="err" data-testid="server-missing">
                No value for {status.missing.join(", ")}.{" "}
                <a href="/settings/secrets" data-testid="status-secrets">
                  Set it
                </a>
              </p>
            )}
          </section>
        )}
        {status && given && form.transport !== "stdio" && (
          <SignIn id={given} state={server?.disabled ? "disabled" : status.state} />
        )}
        {given && <ServerTools id={given} />}
        {!given && (
          <details>
            <summary data-testid="paste-open">
              Fill from a client's configuration (or paste it anywhere on this page)
            </summary>
            <div class="stack tight">
              <textarea
                class="input mono"
                rows={4}
                aria-label="A client's JSON"
                data-testid="paste-text"
                value={pasted}
                onInput={(e) => setPasted(e.currentTarget.value)}
              />
              <div class="row">
                <Button
                  tid="paste-fill"
                  small
                  disabled={!fromClient(pasted)}
                  onClick={() => fill(fromClient(pasted)!)}
                >
                  Fill the form
                </Button>
                {pasted !== "" && !fromClient(pasted) && <span class="err">No server is found in this.</span>}
              </div>
            </div>
          </details>
        )}
        <div class="split form">
          <section class="card stack">
            <Text
              tid="server-id"
              label="Id"
              mono
              value={form.id}
              readOnly={given !== ""}
              onInput={(id) => set({ id })}
              error={badId ? "1 to 64 letters, digits, dots, - and _." : undefined}
              hint="Names of its tools are made of it where no prefix is set."
            />
            <Text tid="server-name" label="Name" value={form.name} onInput={(name) => set({ name })} />
            <Text
              tid="server-description"
              label="Description"
              lines={2}
              value={form.description}
              onInput={(description) => set({ description })}
            />
            <div class="two">
              <Text
                tid="server-category"
                label="Category"
                value={form.category}
                onInput={(category) => set({ category })}
              />
              <Text tid="server-tags" label="Tags" value={form.tags} onInput={(tags) => set({ tags })} />
            </div>
            <Text
              tid="server-timeout"
              label="Call timeout (ms)"
              value={form.timeoutMs}
              onInput={(timeoutMs) => set({ timeoutMs: timeoutMs.replace(/\D/g, "") })}
              hint="Default 15,000."
            />
            <Check tid="server-disabled" checked={form.disabled} onChange={(disabled) => set({ disabled })}>
              Disabled
            </Check>
            <Check
              tid="server-auto"
              checked={form.auto}
              disabled={form.disabled}
              onChange={(auto) => set({ auto })}
            >
              Connect when the playground starts
            </Check>
          </section>
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
              <>
                <Text
                  tid="stdio-command"
                  label="Program"
                  mono
                  value={form.command}
                  onInput={(command) => set({ command })}
                  hint="A path, or a name on the PATH. No shell reads it."
                />
                <fieldset class="field">
                  <legend class="label">Arguments, one each</legend>
                  {form.args.map((a, i) => (
                    <div class="row nowrap" key={i}>
                      <input
                        class="input mono"
                        aria-label={"Argument " + (i + 1)}
                        data-testid="stdio-arg"
                        value={a}
                        onInput={(e) =>
                          set({ args: form.args.map((b, j) => (j === i ? e.currentTarget.value : b)) })
                        }
                      />
                      <Button
                        tid="stdio-arg-remove"
                        small
                        kind="quiet"
                        icon="close"
                        label={"Remove argument " + (i + 1)}
                        onClick={() => set({ args: form.args.filter((_, j) => j !== i) })}
                      />
                    </div>
                  ))}
                  <div class="row">
                    <Button
                      tid="stdio-arg-add"
                      small
                      icon="plus"
                      onClick={() => (set({ args: [...form.args, ""] }), intoLast("stdio-arg"))}
                    >
                      Argument
                    </Button>
                  </div>
                </fieldset>
                <Pairs
                  tid="stdio-env"
                  label="Environment"
                  list={form.env}
                  known={known}
                  onChange={(env) => set({ env })}
                />
                <Text
                  tid="stdio-cwd"
                  label="Working directory"
                  mono
                  value={form.cwd}
                  onInput={(cwd) => set({ cwd })}
                />
                <div class="note mid" data-testid="stdio-preview">
                  <span>
                    This starts, with nothing else of your environment but{" "}
                    {["PATH, HOME, language", ...form.env.map((e) => e.name)].join(", ")}:
                  </span>
                  <ol>
                    {[form.command, ...form.args].map((a, i) => (
                      <li>
                        <code>
                          {i === 0 ? "program" : "argument " + i}: <Foreign text={a} />
                        </code>
                      </li>
                    ))}
                  </ol>
                  <Check tid="stdio-consent" checked={consent.given} onChange={consent.give}>
                    Run this program on my machine
                  </Check>
                </div>
              </>
            ) : (
              <>
                <Text
                  tid="server-url"
                  label="URL"
                  mono
                  value={form.url}
                  onInput={(url) => set({ url })}
                  placeholder="https://mcp.example.com/mcp"
                />
                <Placeholders texts={[form.url, form.endpoint]} known={known} />
                <Pairs
                  tid="header"
                  label="Headers"
                  list={form.headers}
                  known={known}
                  onChange={(headers) => set({ headers })}
                  presets={[
                    [
                      "Bearer",
                      {
                        name: "Authorization",
                        value:
                          "Bearer ${" + (form.id || "SERVER").toUpperCase().replace(/\W+/g, "_") + "_TOKEN}",
                      },
                    ],
                    [
                      "API key",
                      {
                        name: "X-Api-Key",
                        value: "${" + (form.id || "SERVER").toUpperCase().replace(/\W+/g, "_") + "_KEY}",
                      },
                    ],
                    [
                      "Basic",
                      {
                        name: "Authorization",
                        value:
                          "Basic ${" + (form.id || "SERVER").toUpperCase().replace(/\W+/g, "_") + "_LOGIN}",
                      },
                    ],
                  ]}
                />
                <OAuthFields
                  value={form.oauth}
                  onValue={(oauth) => set({ oauth })}
                  placeholder={
                    "${" + (form.id || "SERVER").toUpperCase().replace(/\W+/g, "_") + "_CLIENT_SECRET}"
                  }
                />
                {form.oauth && (
                  <Placeholders
                    texts={Object.values(form.oauth).flatMap((v) =>
                      Array.isArray(v) ? v.map(String) : [String(v)],
                    )}
                    known={known}
                  />
                )}
              </>
            )}
            {proposals.map(({ found, p, where }) => (
              <div class="note mid row spread" data-testid="secret-proposal" data-id={found!.name}>
                <span>
                  {p.name} looks like a secret. Keep it under Settings and write{" "}
                  <code>{"${" + found!.name + "}"}</code> here.
                </span>
                <Button
                  tid="secret-take"
                  small
                  kind="primary"
                  onClick={async () => {
                    try {
                      await send("PUT", "/api/secrets/" + encodeURIComponent(found!.name), {
                        value: found!.value,
                      });
                      set({ [where]: form[where].map((q) => (q === p ? found!.pair : q)) } as Partial<Form>);
                    } catch (e) {
                      fail(e);
                    }
                  }}
                >
                  Do so
                </Button>
              </div>
            ))}
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
        <span class="grow hint" data-testid="server-reason">
          {reason || consentReason}
        </span>
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
      {deleting && server && (
        <Dialog
          tid="server-delete-dialog"
          title={"Delete " + (server.name || server.id) + "?"}
          onClose={() => setDeleting(false)}
        >
          <p>Its session is closed, and its tools are no longer served.</p>
          <footer>
            <Button tid="server-delete-cancel" onClick={() => setDeleting(false)}>
              Keep it
            </Button>
            <Button
              tid="server-delete-confirm"
              kind="danger"
              onClick={async () => {
                try {
                  await send("DELETE", "/api/mcp/servers/" + encodeURIComponent(server.id));
                  go("/servers");
                  toast("Deleted " + (server.name || server.id) + ".");
                } catch (e) {
                  fail(e);
                  setDeleting(false);
                }
              }}
            >
              Delete server
            </Button>
          </footer>
        </Dialog>
      )}
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
