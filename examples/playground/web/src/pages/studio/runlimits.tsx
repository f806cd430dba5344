import type { StudioCaseResult } from "../../api/types";
import { bytes, ms } from "../../ui/parts";

const count = (n: number) => n.toLocaleString("en");
const share = (used: number, limit: number) =>
  used > 0 && used < limit / 100 ? "under 1 %" : Math.round((100 * used) / limit) + " %";

/** Limits is what bounds each case of a run, and how much of it was used. */
export function Limits({ cases, lines }: { cases: StudioCaseResult[]; lines: number }) {
  return (
    <div class="stack">
      {cases.map((c) => (
        <div class="stack tight">
          <strong>{c.name}</strong>
          {c.usage && c.limits && (
            <Share label="Time" used={c.usage.durationMs} limit={c.limits.timeoutMs} show={ms} />
          )}
          {c.usage?.memoryBytes && c.limits?.memoryBytes ? (
            <Share label="Memory" used={c.usage.memoryBytes} limit={c.limits.memoryBytes} show={bytes} />
          ) : null}
          {c.usage?.statements && c.limits?.statements ? (
            <Share label="Statements" used={c.usage.statements} limit={c.limits.statements} show={count} />
          ) : null}
          {c.usage && c.limits?.hostCalls ? (
            <Share label="Requests" used={c.usage.hostCalls ?? 0} limit={c.limits.hostCalls} show={count} />
          ) : null}
          {c.usage && c.limits?.outputBytes ? (
            <Share label="Output" used={c.usage.outputBytes} limit={c.limits.outputBytes} show={bytes} />
          ) : null}
          {c === cases[0] && (
            <Share
              label="Console"
              used={lines}
              limit={c.limits?.consoleLines ?? 1000}
              show={(n) => count(n) + (n === 1 ? " line" : " lines")}
            />
          )}
          {c.usage && (
            <p class="hint" data-testid="run-memory">
              {memory(c)}
            </p>
          )}
          {c.usage && (
            <p class="hint">
              Requests are those to this program: network, files and other tools.
              {c.usage.cpuMs ? " " + ms(c.usage.cpuMs) + " of the processor." : ""}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

/** memory says what the number is, or why there is none. */
function memory(c: StudioCaseResult): string {
  const most = c.usage?.memoryBytes ?? 0;
  const before = c.usage?.memoryBeforeBytes ?? 0;
  if (most > 0)
    return (
      "Memory is the most that the worker process held: " +
      bytes(before) +
      " before the run, and " +
      (most > before ? bytes(most - before) + " more during it." : "no more during it.")
    );
  if (c.runtime?.tier === "in-process")
    return "Memory is not known: this ran inside the program, where runs share its memory.";
  return "Memory is not known: the worker ended with the run.";
}

function Share({
  label,
  used,
  limit,
  show,
}: {
  label: string;
  used: number;
  limit: number;
  show: (n: number) => string;
}) {
  return (
    <label class="small" data-testid="run-limit" data-id={label.toLowerCase()}>
      <span class="row spread">
        <span>{label}</span>
        <span class="num">
          {show(used)} of {show(limit)} <span class="muted">({share(used, limit)})</span>
        </span>
      </span>
      <meter min={0} max={limit} low={limit * 0.75} high={limit * 0.9} optimum={0} value={used} />
    </label>
  );
}
