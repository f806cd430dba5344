import { useState } from "preact/hooks";
import type { ChatBudget, ServerBuiltin } from "../../api/types";
import { kept } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, Tabs } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { AttachmentChips, type Attachments } from "./attached";
import { amount, lines, readBudget } from "./budget";
import type { Turn } from "./turns";

interface Props {
  next: ChatBudget | null;
  problem: string;
  attachments: Attachments | null;
  turns: Turn[];
  live: ServerBuiltin | undefined;
  /** offers reports whether a live tool is offered here. */
  offers: (tool: { name: string; serverId?: string }) => boolean;
  canShorten: boolean;
  onTools: () => void;
  onNoTools: () => void;
  onShorten: () => void;
  onClose: () => void;
}

const number = (x: number) => x.toLocaleString("en");

function Ledger({ b }: { b: ChatBudget }) {
  if (!b.window)
    return (
      <p class="muted">
        The context window of this model is unknown, so nothing is counted and nothing is left out.
      </p>
    );
  const r = readBudget(b);
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Budget">
        <table data-testid="budget-ledger">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col" class="num">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {lines
              .filter(([k]) => amount(b, k) > 0)
              .map(([k, name]) => (
                <tr>
                  <th scope="row">
                    <i class={"key seg-" + k} aria-hidden="true" />
                    {name}
                  </th>
                  <td class="num">{number(amount(b, k))}</td>
                </tr>
              ))}
            <tr>
              <th scope="row">
                <i class="key seg-reserve" aria-hidden="true" />
                Kept for the answer
              </th>
              <td class="num">{number(b.reserve)}</td>
            </tr>
            <tr>
              <th scope="row">Margin, because counting is estimating</th>
              <td class="num">{number(b.margin)}</td>
            </tr>
            <tr>
              <th scope="row">Window of the model</th>
              <td class="num">{number(b.window)}</td>
            </tr>
          </tbody>
        </table>
      </div>
      {r.cuts && <p class={"note " + (r.tone || "mid")}>{r.cuts}</p>}
    </>
  );
}

/** ContextPanel tells what the model is sent. */
export function ContextPanel({
  next,
  problem,
  attachments,
  turns,
  live,
  offers,
  canShorten,
  onTools,
  onNoTools,
  onShorten,
  onClose,
}: Props) {
  const [tab, setTab] = useState(kept.read("lp-context-tab") ?? "budget");
  const last = turns.findLast((t) => t.budget);
  const offered = (live?.tools ?? []).filter(offers);
  const documents = turns.flatMap((t) => t.documents.map((d) => ({ seq: t.seq, ...d })));
  return (
    <aside class="context" aria-label="Context" data-testid="context-panel">
      <div class="row spread nowrap">
        <h3>Context</h3>
        <Button
          tid="context-close"
          small
          kind="quiet"
          icon="close"
          label="Close the context panel"
          onClick={onClose}
        />
      </div>
      <Tabs
        tid="context-tab"
        label="Context"
        value={tab}
        tabs={[
          ["budget", "Budget"],
          ["tools", "Tools"],
          ["documents", "Documents"],
        ]}
        onChange={(v) => (setTab(v), kept.write("lp-context-tab", v))}
      />
      {tab === "budget" && (
        <div class="stack">
          <h4>The next question</h4>
          {next ? (
            <Ledger b={next} />
          ) : (
            <p class="muted wrap">
              {problem || "Your first question begins the conversation; from then on it is counted here."}
            </p>
          )}
          <div class="row" role="group" aria-label="Make room">
            <Button tid="budget-no-tools" small disabled={offered.length === 0} onClick={onNoTools}>
              Offer no tools
            </Button>
            <Button tid="budget-tools" small onClick={onTools}>
              Choose tools
            </Button>
            <Button tid="budget-shorten" small disabled={!canShorten} onClick={onShorten}>
              Shorten memory
            </Button>
          </div>
          {last && (
            <>
              <h4>Question {last.seq}, as it was sent</h4>
              <Ledger b={last.budget as ChatBudget} />
            </>
          )}
        </div>
      )}
      {tab === "tools" && (
        <div class="stack tight">
          <p class="row spread">
            <span class="num">{offered.length} offered</span>
            <Button tid="context-tools" small onClick={onTools}>
              Choose tools
            </Button>
          </p>
          {offered.length === 0 && <p class="muted">The model is offered no tools.</p>}
          <ul class="stack tight">
            {offered.map((t) => (
              <li class="row spread nowrap">
                <span class="wrap">
                  <strong>{t.name}</strong>{" "}
                  <span class="muted clamp small">
                    <Foreign text={t.description} />
                  </span>
                </span>
                <Level level={t.level} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {tab === "documents" && (
        <div class="stack tight">
          {attachments && <AttachmentChips now={attachments} docs={attachments.docs} />}
          {documents.length + (attachments?.docs.length ?? 0) === 0 && (
            <p class="muted">No document is attached. Drop one below, paste it or choose it.</p>
          )}
          <ul class="stack tight">
            {documents.map((d) => (
              <li class="row spread">
                <span class="wrap">{d.name}</span>
                <span class="hint num">
                  question {d.seq} · ~{number(Math.ceil(d.text.length / 4))} tokens
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </aside>
  );
}
