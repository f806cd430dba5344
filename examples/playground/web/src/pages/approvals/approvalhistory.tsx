import { useState } from "preact/hooks";
import { all, get, query } from "../../api/client";
import type { ApprovalView, ApprovalItemList, ServerAuditCheck } from "../../api/types";
import { useData } from "../../ui/data";
import { Because } from "../../ui/because";
import { Foreign } from "../../ui/hostile";
import { Tree } from "../../ui/json";
import { Ago, Button, Empty, Loading, ms, ProblemView, announce, toast } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { Changed } from "../shared/approval/approvalparts";
import { Sentence } from "../shared/approval/sentence";
import { levels, sides } from "./approvalwords";
import { save } from "../shared/save";
import { adopt } from "../../ui/style";
import css from "../../styles/approvals.css" with { type: "text" };

adopt(css);

const outcomes: [string, string][] = [
  ["", "Every outcome"],
  ["approved", "Approved"],
  ["declined", "Declined"],
  ["timed-out", "Timed out"],
  ["cancelled", "Cancelled"],
  ["unavailable", "Unavailable"],
  ["failed", "Failed"],
];
const outcomeOf = (i: ApprovalView) => i.outcome ?? (i.state === "pending" ? "timed-out" : i.state);
const over = (i: ApprovalView) => i.state !== "pending" || Date.parse(i.deadline) < Date.now();

/** History is what was asked and how it ended. */
export function History() {
  const [level, setLevel] = useState("");
  const [side, setSide] = useState("");
  const [outcome, setOutcome] = useState("");
  const [busy, setBusy] = useState(false);
  const { data, error, reload } = useData<ApprovalView[]>(
    async (s) => {
      const page = await get<ApprovalItemList>("/api/approvals" + query({ side, level, limit: 200 }), s);
      return page.items.filter(over);
    },
    [side, level],
    ["approvals"],
  );
  const shown = (data ?? []).filter((i) => outcome === "" || outcomeOf(i) === outcome);
  const write = async () => {
    setBusy(true);
    try {
      const items = (await all<ApprovalView>("/api/approvals" + query({ side, level })))
        .filter(over)
        .filter((i) => outcome === "" || outcomeOf(i) === outcome);
      save(items.map((i) => JSON.stringify(i)).join("\n") + "\n", "approvals.jsonl", "application/x-ndjson");
      announce(items.length + " decisions exported");
    } catch (e) {
      toast("They were not exported: " + (e instanceof Error ? e.message : "try again"), undefined, true);
    } finally {
      setBusy(false);
    }
  };
  const filtered = level !== "" || side !== "" || outcome !== "";
  return (
    <div class="stack">
      <div class="filters">
        <Choice tid="history-side" label="Side" value={side} options={sides} onChange={setSide} />
        <Choice tid="history-level" label="Level" value={level} options={levels} onChange={setLevel} />
        <Choice
          tid="history-outcome"
          label="Outcome"
          value={outcome}
          options={outcomes}
          onChange={setOutcome}
        />
        {filtered && (
          <Button
            tid="history-clear"
            kind="quiet"
            onClick={() => (setLevel(""), setSide(""), setOutcome(""))}
          >
            Clear filters
          </Button>
        )}
        <span class="grow" />
        <Chain />
        <Button tid="history-export" busy={busy} onClick={() => void write()} disabled={shown.length === 0}>
          Export JSONL
        </Button>
      </div>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the history" />}
      {data && shown.length === 0 && (
        <Empty title={filtered ? "No decision matches the filters" : "No decision yet"}>
          <p>
            {filtered
              ? "Others may: clear the filters."
              : "Each question stands here once it is answered, or its time is up."}
          </p>
        </Empty>
      )}
      {shown.length > 0 && (
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
            {shown.map((i) => (
              <Row key={i.id} i={i} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Choice({
  tid,
  label,
  value,
  options,
  onChange,
}: {
  tid: string;
  label: string;
  value: string;
  options: [string, string][];
  onChange: (v: string) => void;
}) {
  return (
    <select
      class="input"
      aria-label={label}
      data-testid={tid}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
    >
      {options.map(([v, t]) => (
        <option value={v}>{t}</option>
      ))}
    </select>
  );
}

function Row({ i }: { i: ApprovalView }) {
  const last = i.decisions[i.decisions.length - 1];
  const waited = last?.at ? (Date.parse(last.at) - Date.parse(i.created)) / 1000 : 0;
  return (
    <tr data-testid="history-row" data-id={i.id} data-outcome={outcomeOf(i)}>
      <td>
        <details>
          <summary data-testid="history-open">
            <Foreign text={i.tool} />
            {last?.arguments !== undefined && (
              <>
                {" "}
                <span class="chip">edited</span>
              </>
            )}
          </summary>
          <div class="stack tight">
            <strong>
              <Sentence action={i.action} />
            </strong>
            {i.because && (
              <Because
                tid="history-because"
                why={i.because}
                by={last?.scope === "always" ? "policy:" + i.side + "/" + (i.server ?? "") : ""}
              />
            )}
            {i.closed && (
              <p data-testid="history-closed">
                Closed: <Foreign text={i.closed} />
              </p>
            )}
            <Tree tid="history-arguments" value={last?.arguments ?? i.arguments} />
            {last?.arguments !== undefined && (
              <div data-testid="history-edited">
                <strong>Ran with</strong>
                <Changed before={i.arguments} after={last.arguments} />
              </div>
            )}
            {last?.note && (
              <p>
                Note: <Foreign text={last.note} />
              </p>
            )}
            <span class="row">
              <a href={"/approvals/" + encodeURIComponent(i.id)} data-testid="history-link">
                This decision
              </a>
              <a href={"/observe/traces?trace=" + encodeURIComponent(i.id)} data-testid="history-trace">
                Open trace
              </a>
              {i.conversation && i.side === "chat" && (
                <a href={"/chat/" + encodeURIComponent(i.conversation)} data-testid="history-chat">
                  Its conversation
                </a>
              )}
            </span>
          </div>
        </details>
      </td>
      <td>
        <Level level={i.level} />
      </td>
      <td data-label="Outcome">{outcomeOf(i)}</td>
      <td data-label="By">
        {last ? (last.by.subject ?? "–") + (last.via ? " via " + last.via : "") : "nobody"}
        {last && waited ? (
          <>
            , <span class="nobreak">after {ms(waited * 1000)}</span>
          </>
        ) : (
          ""
        )}
      </td>
      <td data-label="Asked by">
        {sides.find(([v]) => v === i.side)?.[1]} {i.principal.subject}{" "}
        {i.client?.name && <Foreign text={i.client.name + " " + (i.client.version ?? "")} />}
      </td>
      <td>
        <Ago at={i.created} />
      </td>
    </tr>
  );
}

/** Chain says whether the record that these decisions stand in is whole. */
function Chain() {
  const { data, error, reload } = useData<ServerAuditCheck>((s) => get("/api/approvals/audit", s), []);
  if (error !== null)
    return (
      <Button tid="history-chain" small kind="quiet" onClick={reload}>
        The record could not be checked. Retry
      </Button>
    );
  if (!data) return <span class="hint">Checking the record…</span>;
  if (data.verified && data.empty)
    return (
      <details class="pick">
        <summary class="btn small" data-testid="history-chain" data-verified="partly">
          △ Record verified, an empty file in it
        </summary>
        <div class="stack tight">
          <p>
            {data.records} records are each bound to the one before. Nothing stands in these files: a program
            ended before it wrote, or somebody emptied them. Which cannot be told.
          </p>
          <ul>
            {data.empty.map((name) => (
              <li class="wrap mono">{name}</li>
            ))}
          </ul>
        </div>
      </details>
    );
  if (data.verified)
    return (
      <span
        class="chip good"
        data-testid="history-chain"
        data-verified="yes"
        title={data.records + " records, each bound to the one before it"}
      >
        ✓{" "}
        {data.records === 0
          ? "Nothing recorded yet"
          : data.records.toLocaleString("en") + (data.records === 1 ? " record" : " records") + " verified"}
      </span>
    );
  return (
    <details class="pick">
      <summary class="btn small danger" data-testid="history-chain" data-verified="no">
        ✗ Record damaged
      </summary>
      <div class="stack tight" data-testid="history-damage">
        <p>
          The record of calls and decisions is not what was written. Keep a copy of the home's folder
          _logs/audit as it is, and look who can write there.
        </p>
        <ul class="stack tight">
          {data.problems.map((p) => (
            <li class="wrap">
              <Foreign text={p} />
            </li>
          ))}
        </ul>
        {data.further ? <p class="hint">{data.further} more.</p> : null}
      </div>
    </details>
  );
}
