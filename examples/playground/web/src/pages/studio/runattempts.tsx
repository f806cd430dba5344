import type { StudioAttempt, StudioCaseResult, ToolspecAccess } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { bytes, ms } from "../../ui/parts";
import { besides, component, tried, type Reach } from "./reach";

const layers: Record<string, string> = {
  posture: "what the tool was granted",
  arguments: "the check of the arguments",
  rules: "the network rules",
  address: "the address check",
  redirect: "the redirect check",
  secrets: "the rules for secrets",
  limits: "the limits of a run",
  recorded: "the recorded exchanges",
  workspace: "the workspace",
};

type Verdict = "allowed" | "blocked" | "failed";

/** verdict says how an attempt ended, and which layer decided. */
function verdict(a: StudioAttempt): [Verdict, string] {
  const by = layers[a.by] ?? a.by;
  if (a.refused) return ["blocked", "blocked by " + by + ": " + (a.reason ?? "")];
  if (!a.reason) return ["allowed", a.by === "recorded" ? "answered from " + by : "allowed by " + by];
  if (a.by === "posture" || a.by === "limits" || a.by === "arguments" || a.by === "secrets")
    return ["failed", "stopped by " + by + ": " + a.reason];
  if (a.by === "recorded") return ["failed", "failed in " + by + ": " + a.reason];
  return ["failed", "allowed by " + by + ", then failed: " + a.reason];
}

const words: Record<Reach, { none: string; tid: string; label: string }> = {
  fetch: { none: "It asked no host.", tid: "run-net-row", label: "Requests" },
  fs: { none: "It touched no file.", tid: "run-file-row", label: "Operations on files" },
};

const colours: Record<Verdict, string> = { allowed: "ok", blocked: "err", failed: "warn" };

/** Attempts is each request, or each operation on a file, with what came of it. */
export function Attempts({ reach, cases }: { reach: Reach; cases: StudioCaseResult[] }) {
  const { none, tid, label } = words[reach];
  if (tried(cases, reach) === 0) return <p class="muted">{none}</p>;
  const cut = cases.reduce((n, c) => n + (c.attemptsCut ?? 0), 0);
  return (
    <div class="stack tight">
      {cases.map((c) => {
        const denials = besides(c).filter((d) => d.component === component[reach]);
        const attempts = c.attempts.filter((a) => a.component === reach);
        if (denials.length + attempts.length === 0) return null;
        return (
          <>
            {cases.length > 1 && <strong>{c.name}</strong>}
            <ul class="passes" aria-label={label + " of " + c.name}>
              {denials.map((d) => (
                <li data-testid={tid} data-verdict="blocked">
                  <span class="err">blocked: {d.reason}</span>
                  <span />
                  <Foreign text={d.detail ?? ""} />
                </li>
              ))}
              {attempts.map((a) => {
                const [how, says] = verdict(a);
                return (
                  <li data-testid={tid} data-verdict={how} data-by={a.by}>
                    <code class="wrap">
                      {a.op} <Foreign text={a.target} />
                    </code>
                    <span
                      class="num small nobreak"
                      title={"began " + ms(a.startMs) + " after the start of the case"}
                    >
                      {[
                        a.status ? "status " + a.status : "",
                        a.reason ? "" : bytes(a.bytes),
                        ms(a.durationMs),
                      ]
                        .filter(Boolean)
                        .join(" · ")}
                    </span>
                    <div class="small wrap">
                      <div class={colours[how]}>{says}</div>
                      {a.detail && (
                        <div class="muted">
                          <Foreign text={a.detail} />
                        </div>
                      )}
                    </div>
                  </li>
                );
              })}
            </ul>
          </>
        );
      })}
      {cut > 0 && (
        <Sums
          tid={tid + "-sums"}
          cut={cut}
          list={cases.flatMap((c) => (reach === "fetch" ? c.network : c.files))}
        />
      )}
    </div>
  );
}

/** Sums is what was reached altogether, where not all of it is listed. */
function Sums({ tid, cut, list }: { tid: string; cut: number; list: ToolspecAccess[] }) {
  return (
    <div class="hint" data-testid={tid}>
      {cut.toLocaleString("en")} more of this run, on the network or on files, are not listed one by one. What
      got through, in all:
      <ul>
        {list.map((a) => (
          <li>
            <code class="wrap">
              {a.op} <Foreign text={a.target} />
            </code>{" "}
            {a.count.toLocaleString("en")} {a.count === 1 ? "time" : "times"}, {bytes(a.bytes ?? 0)}
          </li>
        ))}
      </ul>
    </div>
  );
}
