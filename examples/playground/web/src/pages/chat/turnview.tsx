import { memo } from "../../ui/memo";
import { useEffect, useState } from "preact/hooks";
import type { RagAttachment } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { Tree } from "../../ui/json";
import { Button, Copy, ms } from "../../ui/parts";
import { Markdown } from "./markdownview";
import { AttachmentChips, type Attachments } from "./attached";
import { Sources } from "./sources";
import { ToolGroup } from "./toolcard";
import { answerOf, modelName, type Call, type Part, type Turn } from "./turns";
import { money } from "../shared/money";

function Thinking({ part, busy }: { part: Extract<Part, { kind: "thinking" }>; busy: boolean }) {
  return (
    <details class="thinking" data-testid="thinking" open={busy && part.open}>
      <summary data-testid="thinking-open">
        {part.open ? "Thinking…" : "Thought" + (part.ms ? " for " + ms(part.ms) : "")}
      </summary>
      <div class="wrap" dir="auto">
        {part.text}
      </div>
    </details>
  );
}

function Pieces({ turn }: { turn: Turn }) {
  const out = [];
  const parts = turn.parts;
  for (let i = 0; i < parts.length; i++) {
    const p = parts[i]!;
    if (p.kind === "tool") {
      let n = i;
      while (n < parts.length && parts[n]!.kind === "tool") n++;
      out.push(<ToolGroup key={"g" + i} calls={parts.slice(i, n) as Call[]} live={turn.live} />);
      i = n - 1;
    } else if (p.kind === "thinking") out.push(<Thinking key={i} part={p} busy={turn.live} />);
    else if (p.kind === "notice")
      out.push(
        <div key={i} class={"note " + p.tone}>
          <Foreign text={p.text} />
        </div>,
      );
    else if (p.kind === "card") out.push(<Tree key={i} tid="card" value={p.payload} />);
    else
      out.push(
        <div key={i} class={p.kind === "refusal" ? "note mid" : ""}>
          <Markdown text={p.text} done={!p.open} />
        </div>,
      );
  }
  return <>{out}</>;
}

const endWords: Record<string, string> = {
  cancelled: "Stopped.",
  incomplete: "Interrupted.",
  paused: "Paused: it waits for a decision.",
  length: "Cut: the answer reached its longest length.",
  contentFilter: "The provider's filter cut this answer.",
  roundLimit: "Ended: the model called tools as often as one turn may.",
  budget: "Ended: the tokens, the money or the time of the turn is used up.",
};
const usual = ["", "stop", "toolCalls", "returnDirect"];
/** The names of others are told as words: contentFilter is "content filter". */
const plainly = (finish: string) =>
  finish.replaceAll("_", " ").replace(/[A-Z]/g, (c) => " " + c.toLowerCase());
/** costOf is what a turn cost, by the prices of its time. */
const costOf = ({ provider, costMicros, unpriced }: Turn) =>
  provider === "demo"
    ? "no cost"
    : provider === "ollama"
      ? "local, free"
      : (costMicros ? money(costMicros) : "") +
        (unpriced ? (costMicros ? ", in part unpriced" : "unpriced") : "");

function Footer({ turn }: { turn: Turn }) {
  const u = turn.usage;
  const words = answerOf(turn).split(/\s+/).filter(Boolean).length;
  const bits = [
    words > 0 ? words.toLocaleString("en") + (words === 1 ? " word" : " words") : "",
    turn.firstMs ? "first word " + ms(turn.firstMs) : "",
    turn.ms ? ms(turn.ms) : "",
    u
      ? u.input.toLocaleString("en") +
        " in, " +
        u.output.toLocaleString("en") +
        " out" +
        (u.reasoning ? ", " + u.reasoning + " thinking" : "") +
        (u.cacheRead ? ", " + u.cacheRead + " cached" : "") +
        (u.estimated ? " (estimated)" : "")
      : "",
    u ? costOf(turn) : "",
    turn.provider ? modelName(turn.provider, turn.model) : "",
    usual.includes(turn.finish) ? "" : "ended by: " + plainly(turn.finish),
  ].filter(Boolean);
  return (
    <p class="hint" data-testid="turn-usage" data-ms={turn.ms}>
      {bits.join(" · ")} ·{" "}
      <a href={"/observe/traces?trace=" + encodeURIComponent(turn.id)} data-testid="turn-trace">
        Open trace
      </a>
    </p>
  );
}

interface Props {
  turn: Turn;
  /** It changes when the turn or what its buttons stand on does. */
  version: string;
  owner: unknown;
  last: boolean;
  busy: boolean;
  attachments: Attachments | null;
  /** The documents that were attached for this question. */
  attached: RagAttachment[];
  /** Other ways to go on from here: conversations, and which of them this is. */
  branches: string[];
  here: string;
  onEdit: (turn: Turn) => void;
  onRetry: (turn: Turn) => void;
  onBranch: (to: string) => void;
  onResume: (turn: Turn) => void;
  onDrop: (turn: Turn) => void;
  /** It asks the model to go on where it was stopped. */
  onContinue: (turn: Turn) => void;
}

export const TurnView = memo(
  TurnShown,
  (a, b) =>
    a.turn === b.turn &&
    a.version === b.version &&
    a.owner === b.owner &&
    a.last === b.last &&
    a.busy === b.busy &&
    a.here === b.here,
);

function TurnShown({
  turn,
  last,
  busy,
  attachments,
  attached,
  branches,
  here,
  onEdit,
  onRetry,
  onBranch,
  onResume,
  onDrop,
  onContinue,
}: Props) {
  const [raw, setRaw] = useState(false);
  const [left, count] = useState(0);
  useEffect(() => {
    if (turn.retryMs <= 0) return;
    const end = Date.now() + turn.retryMs;
    const look = () => count(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    look();
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [turn.retryMs]);
  const answer = answerOf(turn);
  const empty = turn.status === "completed" && answer === "";
  const at = branches.indexOf(here);
  const end = turn.live ? "" : (endWords[turn.status] ?? endWords[turn.finish] ?? "");
  return (
    <article
      class="turn"
      data-testid="turn"
      data-id={turn.id}
      data-seq={turn.seq}
      data-status={turn.status || (turn.live ? "running" : "open")}
    >
      <div class="asked">
        <div class="bubble wrap" dir="auto" data-testid="question">
          {turn.question}
          {turn.documents.length > 0 && (
            <div class="row">
              {turn.documents.map((d) => (
                <span class="chip" data-testid="question-document">
                  {d.name}
                </span>
              ))}
            </div>
          )}
          {attachments && attached.length > 0 && <AttachmentChips now={attachments} docs={attached} />}
          {turn.pictures.length > 0 && (
            <div class="row">
              {turn.pictures.map((p) =>
                p.data && /^image\/(png|jpeg|gif|webp)$/.test(p.mimeType ?? "") ? (
                  <img
                    class="thumb"
                    alt={p.name || "A picture of the question"}
                    src={"data:" + p.mimeType + ";base64," + p.data}
                  />
                ) : (
                  <span class="hint">a picture</span>
                ),
              )}
            </div>
          )}
        </div>
        <div class="row end tools">
          {branches.length > 1 && at >= 0 && (
            <span class="row nowrap" data-testid="branch-switch" role="group" aria-label="Branches">
              <Button
                tid="branch-back"
                small
                kind="quiet"
                icon="fold"
                label="The branch before"
                disabled={at === 0}
                onClick={() => onBranch(branches[at - 1]!)}
              />
              <span class="num">
                {at + 1}/{branches.length}
              </span>
              <Button
                tid="branch-next"
                small
                kind="quiet"
                icon="unfold"
                label="The next branch"
                disabled={at === branches.length - 1}
                onClick={() => onBranch(branches[at + 1]!)}
              />
            </span>
          )}
          <Button tid="turn-edit" small kind="quiet" disabled={busy} onClick={() => onEdit(turn)}>
            Edit
          </Button>
          <Button tid="turn-retry" small kind="quiet" disabled={busy} onClick={() => onRetry(turn)}>
            Retry
          </Button>
        </div>
      </div>
      <div class="answer stack" data-testid="answer" aria-busy={turn.live}>
        {turn.provider === "demo" && (
          <span class="demo" data-testid="demo-label">
            demo
          </span>
        )}
        {raw ? (
          <pre class="code" tabIndex={0} dir="auto" data-testid="answer-source">
            {answer}
          </pre>
        ) : (
          <Pieces turn={turn} />
        )}
        {turn.live && turn.parts.length === 0 && (
          <p class="muted" data-testid="turn-waiting">
            Waiting for the model…
          </p>
        )}
        {end && (
          <p class="hint" data-testid="turn-end">
            {end}
          </p>
        )}
        {last && !turn.live && turn.status === "cancelled" && answer !== "" && (
          <div class="row">
            <Button tid="turn-continue" small disabled={busy} onClick={() => onContinue(turn)}>
              Continue
            </Button>
          </div>
        )}
        {empty && (
          <p class="note" data-testid="turn-empty">
            The model returned nothing{usual.includes(turn.finish) ? "" : " (" + plainly(turn.finish) + ")"}.
            Ask again, or in other words.
          </p>
        )}
        {turn.problem && turn.status !== "cancelled" && (
          <div class="note bad" data-testid="turn-error">
            <strong>{turn.code.replaceAll("_", " ") || "The turn failed"}</strong>
            <Foreign text={turn.problem} />
            {left > 0 && (
              <span class="hint num" data-testid="turn-wait">
                The provider wants {left} s of rest.
              </span>
            )}
            {last && !turn.live && (
              <div class="row">
                <Button tid="turn-again" small disabled={busy || left > 0} onClick={() => onRetry(turn)}>
                  {left > 0 ? "Retry in " + left + " s" : "Retry"}
                </Button>
              </div>
            )}
          </div>
        )}
        <Sources turn={turn} />
        {!turn.live && (
          <>
            <Footer turn={turn} />
            <div class="row">
              {answer && <Copy tid="answer-copy" text={answer} />}
              {answer && (
                <button
                  type="button"
                  class="btn small quiet"
                  data-testid="answer-raw"
                  aria-pressed={raw}
                  onClick={() => setRaw(!raw)}
                >
                  Raw
                </button>
              )}
              {last &&
                (turn.status === "incomplete" || turn.status === "paused" || turn.status === "") &&
                !busy && (
                  <>
                    <Button tid="turn-resume" small kind="primary" onClick={() => onResume(turn)}>
                      Resume
                    </Button>
                    {turn.status !== "incomplete" && (
                      <Button tid="turn-drop" small onClick={() => onDrop(turn)}>
                        Cancel the turn
                      </Button>
                    )}
                  </>
                )}
            </div>
          </>
        )}
      </div>
    </article>
  );
}
