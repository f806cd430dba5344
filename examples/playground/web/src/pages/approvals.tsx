import { useState } from "preact/hooks";
import { all, get, post, query, send } from "../api/client";
import type { ApprovalExplanation, ApprovalGrantItem, ApprovalItem, ApprovalItemList, ApprovalPolicyItem, McphubServerItem, ServerBuiltin } from "../api/types";
import { go } from "../router";
import { useData } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Ago, Button, Dialog, Empty, Loading, ProblemView, Select, Tabs, toast } from "../ui/parts";
import { Level } from "../ui/risk";
import { Tree } from "../ui/json";
import { Page } from "../shell/page";
import { ApprovalCard } from "./approvalcard";
import { Json } from "./params";

const sides: [string, string][] = [["", "Every side"], ["chat", "Chat"], ["server", "MCP clients"], ["studio", "Tool Studio"]];
const levels: [string, string][] = [["", "Every level"], ...["L0", "L1", "L2", "L3", "L4", "L5"].map((l): [string, string] => [l, l])];

export function Approvals({ args }: { args: string[] }) {
  const at = args[0] ?? "";
  const tab = at === "history" || at === "grants" || at === "policies" ? at : "pending";
  const single = tab === "pending" && at !== "" && at !== "pending" ? at : "";
  return (
    <Page title="Approvals">
      <div class="stack">
        <Tabs tid="approvals" label="Approvals" value={tab} onChange={(t) => go(t === "pending" ? "/approvals" : "/approvals/" + t, true)} tabs={[["pending", "Pending"], ["history", "History"], ["grants", "Grants"], ["policies", "Policies"]]} />
        {single && <Single id={single} />}
        {tab === "pending" && !single && <Pending />}
        {tab === "history" && <History />}
        {tab === "grants" && <Grants />}
        {tab === "policies" && <Policies />}
      </div>
    </Page>
  );
}

function Single({ id }: { id: string }) {
  const { data, error, reload } = useData<ApprovalItem>((s) => get("/api/approvals/" + encodeURIComponent(id), s), [id], ["approvals"]);
  if (error !== null) return <ProblemView error={error} retry={reload} />;
  return data ? <ApprovalCard item={data} /> : <Loading what="the question" />;
}

function Pending() {
  const [side, setSide] = useState("");
  const [level, setLevel] = useState("");
  const [chosen, choose] = useState("");
  const [kept, keep] = useState<ApprovalItem | null>(null);
  const { data, error, reload } = useData<ApprovalItem[]>((s) => all("/api/approvals" + query({ state: "pending", side, level }), s), [side, level], ["approvals"]);
  const list = (data ?? []).filter((i) => Date.parse(i.deadline) > Date.now()).sort((a, b) => a.deadline.localeCompare(b.deadline));
  const recent = useData<ApprovalItemList>((s) => get("/api/approvals?state=used&limit=50", s), [], ["approvals"]);
  const quick = (recent.data?.items ?? []).filter((i) => Date.now() - Date.parse(i.created) < 600_000);
  const one = list.find((i) => i.id === chosen) ?? (kept && kept.id === chosen ? kept : (list[0] ?? kept));
  const safe = list.filter((i) => i.level <= "L2" && !i.confirm);
  return (
    <div class="stack">
      <div class="filters">
        <select class="input" aria-label="Side" data-testid="approvals-side" value={side} onChange={(e) => setSide(e.currentTarget.value)}>
          {sides.map(([v, t]) => <option value={v}>{t}</option>)}
        </select>
        <select class="input" aria-label="Level" data-testid="approvals-level" value={level} onChange={(e) => setLevel(e.currentTarget.value)}>
          {levels.map(([v, t]) => <option value={v}>{t}</option>)}
        </select>
        {safe.length > 1 && (
          <Button tid="approve-safe" onClick={() => void Promise.all(safe.map((i) => post("/api/approvals/" + encodeURIComponent(i.id), { decision: "approved", scope: "once" }))).then(() => (reload(), toast("Approved " + safe.length)), reload)}>
            Approve all L0–L2 ({safe.length})
          </Button>
        )}
      </div>
      {quick.length >= 12 && <div class="note mid">{quick.length} approvals in 10 min. Consider a grant with limits, or a policy.</div>}
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="approvals" />}
      {data && list.length === 0 && !kept && (
        <Empty title="Nothing waits for you">
          <p>Calls that want a person's yes stand here until their time is up, which is a no.</p>
        </Empty>
      )}
      {(list.length > 0 || kept) && (
        <div class="split">
          <ul class="listbox" aria-label="Questions" data-testid="approvals-list">
            {list.map((i) => (
              <li>
                <button type="button" class="pickrow" data-row data-testid="approval-row" data-id={i.id} aria-current={one?.id === i.id} onClick={() => (choose(i.id), keep(null))}>
                  <span class="row spread">
                    <span class="t">{i.tool}</span>
                    <Level level={i.level} />
                  </span>
                  <span class="clamp"><Foreign text={i.prompt} /></span>
                  <span class="hint">
                    {sides.find(([v]) => v === i.side)?.[1]} · ends <Ago at={i.deadline} />
                  </span>
                </button>
              </li>
            ))}
            {list.length === 0 && <li class="pickrow muted">Nothing else waits.</li>}
          </ul>
          {one && <ApprovalCard key={one.id} item={one} onDone={(now) => (choose(now.id), keep(now), reload())} />}
        </div>
      )}
    </div>
  );
}

function History() {
  const [level, setLevel] = useState("");
  const [side, setSide] = useState("");
  const { data, error, reload } = useData<ApprovalItem[]>(async (s) => {
    const page = await get<ApprovalItemList>("/api/approvals" + query({ side, level, limit: 200 }), s);
    return page.items.filter((i) => i.state !== "pending" || Date.parse(i.deadline) < Date.now());
  }, [side, level], ["approvals"]);
  const save = () => {
    const url = URL.createObjectURL(new Blob([(data ?? []).map((i) => JSON.stringify(i)).join("\n") + "\n"], { type: "application/x-ndjson" }));
    const a = document.createElement("a");
    a.href = url;
    a.download = "approvals.jsonl";
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return (
    <div class="stack">
      <div class="filters">
        <select class="input" aria-label="Side" data-testid="history-side" value={side} onChange={(e) => setSide(e.currentTarget.value)}>
          {sides.map(([v, t]) => <option value={v}>{t}</option>)}
        </select>
        <select class="input" aria-label="Level" data-testid="history-level" value={level} onChange={(e) => setLevel(e.currentTarget.value)}>
          {levels.map(([v, t]) => <option value={v}>{t}</option>)}
        </select>
        <Button tid="history-export" onClick={save} disabled={!data?.length}>Export JSONL</Button>
      </div>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the history" />}
      {data?.length === 0 && <Empty title="No decision yet" />}
      {data && data.length > 0 && (
        <table class="cards" data-testid="approvals-history">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Risk</th>
              <th scope="col">Outcome</th>
              <th scope="col">By</th>
              <th scope="col">Asked by</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {data.map((i) => {
              const last = i.decisions[i.decisions.length - 1];
              const waited = last?.at ? (Date.parse(last.at) - Date.parse(i.created)) / 1000 : 0;
              return (
                <tr data-testid="history-row" data-id={i.id} data-outcome={i.outcome ?? i.state}>
                  <td>
                    <details>
                      <summary data-testid="history-open">{i.tool}</summary>
                      <Foreign text={i.prompt} />
                      <Tree tid="history-arguments" value={i.arguments} />
                      {last?.arguments !== undefined && (
                        <>
                          <strong>Ran with</strong>
                          <Tree tid="history-edited" value={last.arguments} />
                        </>
                      )}
                      {last?.note && <p>Note: <Foreign text={last.note} /></p>}
                    </details>
                  </td>
                  <td><Level level={i.level} /></td>
                  <td data-label="Outcome">{i.outcome ?? (i.state === "pending" ? "timed-out" : i.state)}</td>
                  <td data-label="By">{last ? (last.by.subject ?? "–") + (last.via ? " via " + last.via : "") + (waited ? " in " + waited.toFixed(1) + " s" : "") : "nobody"}</td>
                  <td data-label="Asked by">{sides.find(([v]) => v === i.side)?.[1]} {i.principal.subject}</td>
                  <td><Ago at={i.created} /></td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Grants() {
  const { data, error, reload } = useData<ApprovalGrantItem[]>((s) => all("/api/approvals/grants", s), [], ["approvals"]);
  const [asking, ask] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  return (
    <div class="stack">
      {error !== null && <ProblemView error={error} retry={reload} />}
      {failure !== null && <ProblemView error={failure} />}
      {data?.length === 0 && (
        <Empty title="No grants">
          <p>A yes that counts for more than one call stands here until it ends or you take it back.</p>
        </Empty>
      )}
      {data && data.length > 0 && (
        <>
          <div class="row end">
            <Button tid="grants-revoke-all" kind="danger" onClick={() => ask(true)}>Take back all {data.length}</Button>
          </div>
          <table class="cards">
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th scope="col">Scope</th>
                <th scope="col">Used</th>
                <th scope="col">Ends</th>
                <th scope="col">For</th>
                <th scope="col"><span class="vh">Actions</span></th>
              </tr>
            </thead>
            <tbody>
              {data.map((g) => (
                <tr data-testid="grant-row" data-id={g.id}>
                  <td>{g.tool} <Level level={g.level} /></td>
                  <td data-label="Scope">{g.scope}{g.digest && <code title={g.digest}> {g.digest.slice(0, 10)}</code>}</td>
                  <td data-label="Used" class="num">{g.used}{g.calls ? " of " + g.calls : ""}</td>
                  <td data-label="Ends"><Ago at={g.expires} /></td>
                  <td data-label="For">{g.principal.subject}, {sides.find(([v]) => v === g.side)?.[1]}</td>
                  <td><Button tid="grant-revoke" small dataId={g.id} onClick={() => void send("DELETE", "/api/approvals/grants/" + encodeURIComponent(g.id)).then(reload, fail)}>Take back</Button></td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {asking && (
        <Dialog tid="revoke-dialog" title={"Take back all " + (data?.length ?? 0) + " grants?"} onClose={() => ask(false)}>
          <p>The next call of each of these tools asks again.</p>
          <footer>
            <Button tid="revoke-cancel" onClick={() => ask(false)}>Keep them</Button>
            <Button tid="revoke-confirm" kind="danger" onClick={() => void send("DELETE", "/api/approvals/grants").then(() => (ask(false), reload()), fail)}>Take back</Button>
          </footer>
        </Dialog>
      )}
    </div>
  );
}

const kinds: [string, string][] = [["", "inherit"], ["ASK_USER", "ask"], ["ALWAYS_ALLOW", "allow"], ["ALWAYS_DENY", "deny"]];
const policySides: [string, string][] = [["server", "MCP clients"], ["chat", "Chat"], ["studio", "Tool Studio"]];

function Policies() {
  const { data, error, reload } = useData<{ policies: ApprovalPolicyItem[]; builtin: ServerBuiltin; servers: McphubServerItem[] }>(async (s) => {
    const [policies, builtin, servers] = await Promise.all([all<ApprovalPolicyItem>("/api/mcp/approval-policies", s), get<ServerBuiltin>("/api/mcp/builtin", s), all<McphubServerItem>("/api/mcp/servers", s)]);
    return { policies, builtin, servers };
  }, [], ["tools", "approvals", "servers"]);
  const [failure, fail] = useState<unknown>(null);
  const [server, setServer] = useState("");
  const [explain, setExplain] = useState(false);
  if (error !== null) return <ProblemView error={error} retry={reload} />;
  if (!data) return <Loading what="policies" />;
  const of = (tool: string, side: string) => data.policies.find((p) => p.serverId === server && p.toolName === tool && (p.side ?? "") === side);
  const set = async (tool: string, side: string, policy: string) => {
    fail(null);
    try {
      if (policy === "") await send("DELETE", "/api/mcp/approval-policies" + query({ serverId: server, toolName: tool, side }));
      else await send("PUT", "/api/mcp/approval-policies", { serverId: server, toolName: tool, side, policy });
      reload();
    } catch (e) {
      fail(e);
    }
  };
  const known = data.policies.filter((p) => p.serverId === server).map((p) => p.toolName);
  const tools = ["*", ...new Set([...(server === "" ? data.builtin.tools.map((t) => t.name) : []), ...known.filter((t) => t !== "*")])];
  return (
    <div class="stack">
      <div class="row spread">
        <Select tid="policy-server" label="Server" value={server} onChange={setServer} options={[["", "This program's own tools"], ...data.servers.map((s): [string, string] => [s.id, s.name || s.id])]} />
        <Button tid="policy-explain" onClick={() => setExplain(true)}>Why would a call ask?</Button>
      </div>
      {failure !== null && <ProblemView error={failure} />}
      <p class="hint">What a tool itself asks for stays: a policy "allow" runs it unasked only where it does not demand approval.</p>
      <div class="scroll-x">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {policySides.map(([, t]) => <th scope="col">{t}</th>)}
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <tr data-testid="policy-row" data-id={tool}>
                <th scope="row">{tool === "*" ? "Every tool" : tool}</th>
                {policySides.map(([side, text]) => {
                  const own = of(tool, side);
                  const up = of("*", side) ?? of(tool, "") ?? of("*", "");
                  return (
                    <td>
                      <select class="input" aria-label={(tool === "*" ? "Every tool" : tool) + ", " + text} data-testid="policy-cell" data-side={side} disabled={own?.fixed ?? false} value={own?.policy ?? ""} onChange={(e) => void set(tool, side, e.currentTarget.value)}>
                        {kinds.map(([v, t]) => <option value={v}>{v === "" && up && tool !== "*" ? "inherit: " + (kinds.find(([k]) => k === up.policy)?.[1] ?? "") : t}</option>)}
                      </select>
                      {own?.fixed && <span class="hint">from the policy file</span>}
                      {own?.problem && <span class="err">{own.problem}</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {explain && <Explain tools={data.builtin.tools.map((t) => t.name)} onClose={() => setExplain(false)} />}
    </div>
  );
}

function Explain({ tools, onClose }: { tools: string[]; onClose: () => void }) {
  const [tool, setTool] = useState(tools[0] ?? "");
  const [side, setSide] = useState("server");
  const [args, setArgs] = useState<any>({});
  const [found, setFound] = useState<ApprovalExplanation | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const words: Record<string, string> = { run: "It would run without asking.", ask: "A person would be asked.", deny: "It would be refused." };
  return (
    <Dialog tid="explain" title="Why would this call ask?" onClose={onClose}>
      <Select tid="explain-tool" label="Tool" value={tool} onChange={setTool} options={tools.map((t): [string, string] => [t, t])} />
      <Select tid="explain-side" label="Called from" value={side} onChange={setSide} options={policySides} />
      <Json tid="explain-args" label="Arguments" value={args} onValue={setArgs} />
      <div class="row">
        <Button tid="explain-run" kind="primary" onClick={() => (fail(null), void post<ApprovalExplanation>("/api/approvals/explain", { toolName: tool, side, arguments: args }).then(setFound, fail))}>Explain</Button>
      </div>
      {failure !== null && <ProblemView error={failure} />}
      {found && (
        <>
          <strong data-testid="explain-effect">{words[found.effect] ?? found.effect}</strong>
          <ol class="stack tight">
            {found.rows.map((r) => (
              <li class={r.decides ? "note" : "muted"} data-testid="explain-row" data-decides={r.decides ? "yes" : "no"}>
                {r.number}. {r.rule} {r.matches ? "— " + (r.effect ?? "") : "— does not apply"} {r.detail && <Foreign text={r.detail} />}
              </li>
            ))}
          </ol>
        </>
      )}
    </Dialog>
  );
}

