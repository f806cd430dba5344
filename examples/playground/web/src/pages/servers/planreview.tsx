import { useState } from "preact/hooks";
import { post } from "../../api/client";
import { Foreign } from "../../ui/hostile";
import { Tree } from "../../ui/json";
import { Button, counted, Dialog, ProblemView, Select, toast } from "../../ui/parts";
import { Level, rankOf, wordsOf } from "../../ui/risk";
import { base, type Def } from "../inspector/inspectops";
import { Changes } from "./changes";
import { audienceOf, wordsOfStep, type Step } from "./serverplan";

const codes = ["L0", "L1", "L2", "L3", "L4", "L5"];

/** PlanReview shows what a plan does, with the texts and levels that a person approves. */
export function PlanReview({
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
                <Changes changes={s.member?.changes ?? []} />
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
