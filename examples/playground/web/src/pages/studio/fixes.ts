import type { StudioRun } from "../../api/types";
import { hostsIn, type Overrides, type Spec } from "./spec";

/** A change of the document that lets the next run go on; it runs nothing. */
export interface Fix {
  tid: string;
  id: string;
  label: string;
  apply: (spec: Spec) => Spec;
}

const override =
  (change: (o: Overrides) => Overrides) =>
  (spec: Spec): Spec => ({ ...spec, sandboxOverrides: change(spec.sandboxOverrides ?? {}) });

/** The hosts that were refused, where the report names them. */
function refusedHosts(run: StudioRun): string[] {
  const hosts = new Set<string>();
  for (const c of run.cases)
    for (const d of c.denials ?? []) {
      const m = /([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?)/i.exec(d.detail ?? "");
      if (
        d.component === "fetch" &&
        /^(network-blocked|host-not-in-allowlist)$/.test(d.reason) &&
        m &&
        !/^\d+(\.\d+){3}/.test(m[1]!)
      )
        hosts.add(m[1]!.toLowerCase());
    }
  return [...hosts];
}

/** fixes are what a person can do about a run that failed, with one click each. */
export function fixes(run: StudioRun, spec: Spec): Fix[] {
  const out: Fix[] = [];
  const o = spec.sandboxOverrides ?? {};
  const failed = run.cases.find((c) => !c.ok)?.error;
  const reasons = new Set([
    failed?.reason,
    ...run.cases.flatMap((c) => (c.denials ?? []).map((d) => d.reason)),
  ]);
  const said = (failed?.component ?? "") + " " + (failed?.message ?? "");
  const hosts = refusedHosts(run);
  if (
    failed?.kind === "SECURITY" &&
    hosts.length === 0 &&
    /\bfetch\b/.test(said) &&
    (o.networkMode ?? "blocked") === "blocked"
  )
    hosts.push(...hostsIn(spec.code));
  for (const h of hosts.filter((h) => !(o.hostsAllow ?? []).includes(h)))
    out.push({
      tid: "fix-add-host",
      id: h,
      label: "Add " + h + " to the allow-list (raises to L3)",
      apply: override((p) => ({
        ...p,
        networkMode: "allowlist",
        hostsAllow: [...new Set([...(p.hostsAllow ?? []), h])],
      })),
    });
  if (
    /safety\.fs/.test(said) &&
    [...reasons].some((r) => /not-granted$/.test(r ?? "")) &&
    !reasons.has("destructive-not-granted")
  ) {
    if (!o.fileRead)
      out.push({
        tid: "fix-files",
        id: "read",
        label: "Allow it to read files (raises the level)",
        apply: override((p) => ({ ...p, fileRead: true })),
      });
    if (!o.fileWrite)
      out.push({
        tid: "fix-files",
        id: "write",
        label: "Allow it to read and write files (raises to L4)",
        apply: override((p) => ({ ...p, fileRead: true, fileWrite: true })),
      });
  }
  const now = spec["x-limits"]?.["timeoutMs"];
  if (failed?.kind === "TIMEOUT" && typeof now === "number" && now < 30_000) {
    const next = Math.min(30_000, now * 2);
    out.push({
      tid: "fix-time",
      id: String(next),
      label: "Give it " + next / 1000 + " s",
      apply: (s) => ({ ...s, "x-limits": { ...s["x-limits"], timeoutMs: next } }),
    });
  }
  return out;
}

/** asTestValues writes arguments down as what the test binds. */
export function asTestValues(spec: Spec, args: Record<string, unknown>): Spec {
  return {
    ...spec,
    params: (spec.params ?? []).map((p) =>
      p.name in args
        ? {
            ...p,
            testValue:
              typeof args[p.name] === "string" ? (args[p.name] as string) : JSON.stringify(args[p.name]),
          }
        : p,
    ),
  };
}
