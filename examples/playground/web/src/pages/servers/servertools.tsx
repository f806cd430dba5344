import { useState } from "preact/hooks";
import { all, get, post } from "../../api/client";
import type { McphubCapabilityItem, McphubMemberItem } from "../../api/types";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Tree } from "../../ui/json";
import { Button, Check, counted, Dialog, ProblemView, Select, toast } from "../../ui/parts";
import { Level, rankOf, wordsOf } from "../../ui/risk";
import { base, type Def } from "../inspector/inspectops";
import { audienceOf, planOf, switchesOf, wordsOfStep, type Step, type Switches } from "./serverplan";

const shownAtOnce = 300;
const codes = ["L0", "L1", "L2", "L3", "L4", "L5"];

/** ServerTools are the tools of a server with two switches each: chat and clients. */
export function ServerTools({ id }: { id: string }) {
  const caps = useData<McphubCapabilityItem>((s) => get(base(id) + "/capabilities", s), [id], ["servers"]);
  const members = useData<McphubMemberItem[]>(
    async (s) => (await all<McphubMemberItem>("/api/mcp/compositions", s)).filter((m) => m.serverId === id),
    [id],
    ["servers", "tools"],
  );
  const [wanted, want] = useState(new Map<string, Switches>());
  const [q, setQ] = useState("");
  const [reviewing, review] = useState(false);
  if (!caps.data || !members.data || caps.data.tools.length === 0) return null;
  const items = caps.data.tools.filter((t) => !t.leftOut);
  const shown = items.filter((t) =>
    (t.key + JSON.stringify(t.definition)).toLowerCase().includes(q.toLowerCase()),
  );
  const memberOf = (tool: string) => members.data!.find((m) => m.toolName === tool);
  const now = (tool: string) => wanted.get(tool) ?? switchesOf(memberOf(tool));
  const set = (tools: string[], change: Partial<Switches>) =>
    want(new Map([...wanted, ...tools.map((t): [string, Switches] => [t, { ...now(t), ...change }])]));
  const plan = planOf(items, members.data, wanted);
  const done = () => {
    review(false);
    want(new Map());
    caps.reload();
    members.reload();
  };
  return (
    <section class="card stack" aria-labelledby="server-switches" data-testid="server-switches">
      <div class="row spread">
        <h2 id="server-switches">Use its tools</h2>
        <span class="row">
          {plan.length > 0 && (
            <Button tid="switches-discard" kind="quiet" onClick={() => want(new Map())}>
              Discard
            </Button>
          )}
          <Button
            tid="switches-review"
            kind="primary"
            disabled={plan.length === 0}
            onClick={() => review(true)}
          >
            Review {counted(plan.length, "change")}
          </Button>
        </span>
      </div>
      <div class="row">
        <input
          class="input grow"
          type="search"
          aria-label="Search the tools"
          placeholder="Search"
          data-testid="switches-search"
          value={q}
          onInput={(e) => setQ(e.currentTarget.value)}
        />
        <Button
          tid="switches-all-chat"
          small
          onClick={() =>
            set(
              shown.map((t) => t.key),
              { chat: true },
            )
          }
        >
          All in chat
        </Button>
        <Button
          tid="switches-all-clients"
          small
          onClick={() =>
            set(
              shown.map((t) => t.key),
              { clients: true },
            )
          }
        >
          All for clients
        </Button>
      </div>
      <ul class="stack tight">
        {shown.slice(0, shownAtOnce).map((t) => {
          const m = memberOf(t.key);
          const state = now(t.key);
          return (
            <li class="row spread" data-testid="switch-row" data-id={t.key}>
              <span class="wrap">
                <strong>
                  <Foreign text={t.key} />
                </strong>{" "}
                <Level level={t.risk?.level ?? "unknown"} proposed={t.risk?.proposed} tid="switch-level" />
                {m?.state === "changed" && (
                  <span class="warn" data-testid="switch-changed">
                    {" "}
                    Changed: review it again
                  </span>
                )}
                {m?.state === "name-taken" && (
                  <span class="warn"> Not offered: another tool has the name {m.name}</span>
                )}
              </span>
              <span class="row">
                <Check
                  tid="switch-chat"
                  dataId={t.key}
                  checked={state.chat}
                  onChange={(chat) => set([t.key], { chat })}
                >
                  chat
                </Check>
                <Check
                  tid="switch-clients"
                  dataId={t.key}
                  checked={state.clients}
                  onChange={(clients) => set([t.key], { clients })}
                >
                  clients
                </Check>
                {m?.state === "changed" && (
                  <Button
                    tid="switch-again"
                    dataId={t.key}
                    small
                    onClick={() => (set([t.key], {}), review(true))}
                  >
                    Review
                  </Button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {shown.length > shownAtOnce && <p class="hint">{shown.length - shownAtOnce} more: search for them.</p>}
      {reviewing && <PlanReview id={id} plan={plan} onClose={() => review(false)} onDone={done} />}
    </section>
  );
}

/** PlanReview shows what a plan does, with the texts and levels that a person approves. */
function PlanReview({
  id,
  plan,
  onClose,
  onDone,
}: {
  id: string;
  plan: Step[];
  onClose: () => void;
  onDone: () => void;
}) {
  const [levels, setLevels] = useState(new Map<string, string>());
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const levelFor = (s: Step) => levels.get(s.item.key) ?? s.item.risk?.proposed ?? "";
  const apply = async () => {
    setBusy(true);
    fail(null);
    try {
      for (const s of plan) await applyStep(id, s, s.levelOpen ? levelFor(s) : "");
      toast("Saved: " + counted(plan.length, "change"));
      onDone();
    } catch (e) {
      fail(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog tid="plan-review" title={"Review " + counted(plan.length, "change")} onClose={onClose} cls="wide">
      <ul class="stack scroll-y">
        {plan.map((s) => (
          <li class="stack tight card" data-testid="plan-step" data-id={s.item.key}>
            <div class="row spread">
              <strong>
                <Foreign text={s.item.key} />
              </strong>
              <span>{wordsOfStep(s)}</span>
            </div>
            {s.review && (
              <>
                <p class="wrap">
                  <Foreign
                    text={String((s.item.definition as Def).description ?? "It has no description.")}
                  />
                </p>
                <details>
                  <summary data-testid="plan-definition">
                    {s.member?.approvedFingerprint
                      ? "Its definition changed: see both"
                      : "The whole definition"}
                  </summary>
                  {s.member?.approvedDefinition !== undefined && (
                    <>
                      <h4>Approved before</h4>
                      <Tree tid="plan-before" value={s.member.approvedDefinition} />
                      <h4>Now</h4>
                    </>
                  )}
                  <Tree tid="plan-now" value={s.item.definition} />
                </details>
              </>
            )}
            {s.item.risk?.findings?.map((f) => (
              <p class="warn">
                A scan found {f.rule} ({f.severity}): {f.detail}
              </p>
            ))}
            {s.levelOpen ? (
              <Select
                tid="plan-level"
                label="Risk level"
                value={levelFor(s)}
                options={[
                  ...codes
                    .filter((c) => rankOf(c) >= rankOf(s.item.risk!.least))
                    .map((c): [string, string] => [
                      c,
                      wordsOf(c) + (c === s.item.risk!.proposed ? " (proposed)" : ""),
                    ]),
                  ["", "Leave unconfirmed"],
                ]}
                onChange={(l) => setLevels(new Map([...levels, [s.item.key, l]]))}
                hint={s.item.risk?.reasons?.[0]}
              />
            ) : (
              s.item.risk && <Level level={s.item.risk.level} proposed={s.item.risk.proposed} />
            )}
          </li>
        ))}
      </ul>
      <p class="hint">
        A tool that is on can be asked for by a model or a client. Each call still passes your policies and
        approvals.
      </p>
      {failure !== null && <ProblemView error={failure} />}
      <footer>
        <Button tid="plan-cancel" onClick={onClose}>
          Cancel
        </Button>
        <Button tid="plan-apply" kind="primary" busy={busy} onClick={() => void apply()}>
          Approve and save
        </Button>
      </footer>
    </Dialog>
  );
}

/** applyStep saves one step. The level comes first, so that no call runs under another one. */
async function applyStep(id: string, s: Step, level: string) {
  const tool = { serverId: id, toolName: s.item.key };
  const fingerprint = s.item.fingerprint;
  if (level) await post(base(id) + "/levels", { toolName: s.item.key, fingerprint, level });
  const audience = audienceOf(s.to);
  await post("/api/mcp/compositions", {
    ...tool,
    ...(audience ? { audience } : {}),
    ...(s.member?.alias ? { alias: s.member.alias } : {}),
    ...(s.member?.description ? { description: s.member.description } : {}),
    ...(s.member?.hitl ? { hitl: true } : {}),
  });
  if (s.review) await post("/api/mcp/compositions/approve", { ...tool, fingerprint });
}
