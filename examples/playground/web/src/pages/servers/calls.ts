import type { ObserveSummary } from "../../api/types";

/** ToolUse is the use of one tool within one trace. */
export interface ToolUse {
  trace: string;
  /** What the trace is about, such as a turn of a chat. */
  operation: string;
  tool: string;
  times: number;
  at: string;
  ms: number;
  outcome: string;
}

/**
 * callsOf lists the calls of a server's tools, the latest first. In a chat its tools have
 * names with the prefix, which is left out.
 */
export function callsOf(traces: ObserveSummary[], server: string, prefix: string): ToolUse[] {
  const out: ToolUse[] = [];
  for (const t of traces)
    for (const used of t.tools ?? []) {
      if (used.server !== server) continue;
      const alone = t.operation === "execute_tool" || t.operation === "tools/call";
      const whole = t.status === "RUNNING" ? t.status : (t.outcome ?? t.status);
      out.push({
        trace: t.traceId,
        operation: t.operation,
        tool: used.name.startsWith(prefix + "_") ? used.name.slice(prefix.length + 1) : used.name,
        times: used.calls,
        at: used.lastAt,
        ms: used.lastMs,
        outcome: alone ? whole : used.errors > 0 ? "error" : t.status === "RUNNING" ? whole : "ok",
      });
    }
  return out.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
