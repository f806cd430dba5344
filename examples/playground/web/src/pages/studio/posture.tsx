import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client";
import type { StudioPreview } from "../../api/types";
import { Button, Dialog, ProblemView, Text } from "../../ui/parts";
import { Level, levelOf, levelWords } from "../../ui/risk";
import { hostsIn, type Overrides, type Spec } from "./spec";

const modes: [string, string, string, string][] = [
  ["blocked", "Blocked", "No network at all.", "L0"],
  ["allowlist", "Allow-list", "Only the hosts that you name.", "L3"],
  ["strict", "Any public host", "Every host of the internet, none of your own network.", "L3"],
  ["open", "Open", "Anything, your own network included.", "L4"],
];

interface Props {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
  preview: StudioPreview | null;
  problem: unknown;
  draft: boolean;
}

/** effect is what a tool can reach, in the words that a person reads who is asked about a call of it. */
export const effect = (p: StudioPreview | null) =>
  p?.posture ? p.effect.join(" ") : "It cannot run on this host.";

/** What an override must be to do without the deciding rule. */
function without(reason: string, o: Overrides): [Overrides, string] | null {
  if (/destructive/i.test(reason) && o.destructive)
    return [{ ...o, destructive: false }, "If it did not declare destruction"];
  if (/writ/i.test(reason) && o.fileWrite) return [{ ...o, fileWrite: false }, "Without writing files"];
  if (/read/i.test(reason) && o.fileRead) return [{ ...o, fileRead: false }, "Without reading files"];
  if (/network|host/i.test(reason)) {
    if (o.networkMode === "open") return [{ ...o, networkMode: "strict" }, "Limited to public hosts"];
    if (o.networkMode === "strict" || o.networkMode === "allowlist")
      return [
        { ...o, networkMode: "blocked", hostsAllow: undefined as unknown as string[] },
        "Without the network",
      ];
  }
  return null;
}

function wider(host: string): string {
  if (host === "*") return "Any host: this is no limit, and raises the level.";
  if (host.startsWith("*.")) return "Every host below this one.";
  if (/:\d+$/.test(host) && !/:(80|443)$/.test(host)) return "A port that is not the usual one.";
  return "";
}

/** Sandbox are the capabilities, Risk what follows from them, both as the server sees it. */
export function Sandbox({ spec, change, readOnly, preview }: Props) {
  const o = spec.sandboxOverrides ?? {};
  const [host, setHost] = useState("");
  const [asking, ask] = useState(false);
  const set = (next: Partial<Overrides>) => change({ ...spec, sandboxOverrides: { ...o, ...next } });
  const hosts = o.hostsAllow ?? [];
  const add = (list: string[]) =>
    set({ networkMode: "allowlist", hostsAllow: [...new Set([...hosts, ...list])] });
  const inCode = hostsIn(spec.code).filter((h) => !hosts.includes(h));
  const files = o.fileWrite ? "write" : o.fileRead ? "read" : "off";
  const approval = spec.humanInTheLoop?.mode === "REQUIRED";
  const setApproval = (mode: string) =>
    change({ ...spec, humanInTheLoop: { ...(spec.humanInTheLoop ?? {}), mode } });
  return (
    <section class="card stack" aria-labelledby="sandbox-title">
      <h2 id="sandbox-title">Sandbox</h2>
      <fieldset class="field" disabled={readOnly}>
        <legend class="label">Network</legend>
        <div class="radios">
          {modes.map(([mode, name, text, level]) => (
            <label class="radio">
              <input
                type="radio"
                name="network"
                data-testid={"net-" + mode}
                checked={(o.networkMode ?? "blocked") === mode}
                onChange={() => set({ networkMode: mode })}
              />
              <span>
                <strong>{name}</strong>
                <br />
                <span class="hint">{text}</span>
              </span>
              <span class="hint">{level}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {o.networkMode === "allowlist" && (
        <fieldset class="field" disabled={readOnly}>
          <legend class="label">Hosts</legend>
          <ul class="stack tight">
            {hosts.map((h) => (
              <li class="row spread" data-testid="host-row" data-id={h}>
                <span class="wrap">
                  <code>{h}</code>{" "}
                  {wider(h) && (
                    <span class="warn" data-testid="host-warning">
                      {wider(h)}
                    </span>
                  )}
                </span>
                <Button
                  tid="host-remove"
                  small
                  kind="quiet"
                  icon="close"
                  label={"Remove " + h}
                  onClick={() => set({ hostsAllow: hosts.filter((x) => x !== h) })}
                />
              </li>
            ))}
          </ul>
          <div class="row nowrap">
            <input
              class="input mono"
              aria-label="A host, such as api.example.com or *.example.com"
              placeholder="api.example.com"
              data-testid="host-input"
              value={host}
              onInput={(e) => setHost(e.currentTarget.value)}
              onKeyDown={(e) =>
                e.key === "Enter" &&
                host.trim() &&
                (e.preventDefault(), add([host.trim().toLowerCase()]), setHost(""))
              }
            />
            <Button
              tid="host-add"
              small
              disabled={!host.trim()}
              onClick={() => (add([host.trim().toLowerCase()]), setHost(""))}
            >
              Add
            </Button>
          </div>
          {inCode.length > 0 && (
            <Button tid="host-from-code" small onClick={() => add(inCode)}>
              Fill from the code: {inCode.join(", ")}
            </Button>
          )}
        </fieldset>
      )}
      <fieldset class="field" disabled={readOnly}>
        <legend class="label">Files</legend>
        <div class="seg">
          {(
            [
              ["off", "Off"],
              ["read", "Read"],
              ["write", "Read and write"],
            ] as const
          ).map(([v, text]) => (
            <label>
              <input
                type="radio"
                name="files"
                data-testid={"files-" + v}
                checked={files === v}
                onChange={() => set({ fileRead: v !== "off", fileWrite: v === "write" })}
              />
              {text}
            </label>
          ))}
        </div>
      </fieldset>
      {files !== "off" && (
        <Text
          tid="files-base"
          label="Directory"
          mono
          value={o.fsBasePath ?? ""}
          readOnly={readOnly}
          placeholder="the workspace"
          onInput={(v) => {
            const { fsBasePath: _, ...rest } = o;
            change({ ...spec, sandboxOverrides: v === "" ? rest : { ...rest, fsBasePath: v } });
          }}
          hint={
            preview?.posture?.fsBasePath
              ? "On this host: " + preview.posture.fsBasePath
              : "Empty: the workspace of this host."
          }
        />
      )}
      {o.destructive && (
        <p class="warn">This tool declares that it destroys things. Change that in the Spec JSON.</p>
      )}
      <fieldset class="field" disabled={readOnly}>
        <legend class="label">Approval of each call</legend>
        <div class="seg">
          <label>
            <input
              type="radio"
              name="approval"
              data-testid="approval-required"
              checked={approval}
              onChange={() => setApproval("REQUIRED")}
            />
            Required
          </label>
          <label>
            <input
              type="radio"
              name="approval"
              data-testid="approval-disabled"
              checked={!approval}
              onClick={(e) => approval && (e.preventDefault(), ask(true))}
              onChange={() => {}}
            />
            Disabled
          </label>
        </div>
      </fieldset>
      {approval && (
        <Text
          tid="approval-prompt"
          label="Question"
          lines={2}
          readOnly={readOnly}
          value={spec.humanInTheLoop?.promptTemplate ?? ""}
          placeholder="May {toolName} run? {args}"
          onInput={(promptTemplate) =>
            change({ ...spec, humanInTheLoop: { ...spec.humanInTheLoop!, promptTemplate } })
          }
          hint={
            "Shown as: " +
            (spec.humanInTheLoop?.promptTemplate || "May {toolName} run with {args}?")
              .replaceAll("{toolName}", spec.name || "it")
              .replaceAll("{args}", "…")
          }
        />
      )}
      {asking && (
        <Dialog tid="oversight-dialog" title="Reduce human oversight?" onClose={() => ask(false)}>
          <p>
            {spec.name || "This tool"} is{" "}
            <strong>
              {preview ? preview.level + " " + levelWords[levelOf(preview.level)] : "of an unknown level"}
            </strong>
            . {effect(preview)}
          </p>
          <p>Without approval, models in a chat and every MCP client can run it without asking anybody.</p>
          <footer>
            <Button tid="oversight-cancel" onClick={() => ask(false)}>
              Keep asking
            </Button>
            <Button
              tid="oversight-confirm"
              kind="danger"
              onClick={() => (setApproval("DISABLED"), ask(false))}
            >
              Stop asking
            </Button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}

export function Risk({ spec, preview, problem, draft }: Props) {
  const [less, setLess] = useState<[string, string] | null>(null);
  const top = preview ? preview.reasons[0] : undefined;
  useEffect(() => {
    setLess(null);
    if (!top || !preview || preview.level === "L0") return;
    const other = without(top, spec.sandboxOverrides ?? {});
    if (!other) return;
    let gone = false;
    post<StudioPreview>("/api/tools/preview", {
      ...spec,
      sandboxOverrides: JSON.parse(JSON.stringify(other[0])) as Overrides,
    }).then(
      (p) => !gone && p.level !== preview.level && setLess([other[1], p.level]),
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [top, preview?.level, JSON.stringify(spec.sandboxOverrides)]);
  return (
    <section class="card stack" aria-labelledby="risk-title" data-testid="risk-panel">
      <h2 id="risk-title">Risk</h2>
      {problem !== null && <ProblemView error={problem} />}
      {preview && (
        <>
          <div class="row" aria-live="off">
            <Level level={preview.level} draft={draft} big tid="risk-chip" why={top} />
          </div>
          {preview.mitigated !== preview.level && (
            <p class="hint" data-testid="risk-mitigated">
              {preview.level} inherent, shown to clients as {preview.mitigated} with approval, because a
              person approves each call.
            </p>
          )}
          <div>
            <h3>Why</h3>
            <ul class="why" data-testid="risk-why">
              {preview.reasons.map((r, i) => (
                <li class={i === 0 ? "first" : ""}>{r}</li>
              ))}
              {preview.reasons.length === 0 && <li>It reaches nothing.</li>}
            </ul>
          </div>
          {less && (
            <p class="hint" data-testid="risk-without">
              {less[0]}: {less[1]} {levelWords[levelOf(less[1])]}.
            </p>
          )}
          <div>
            <h3>Effect</h3>
            <p data-testid="risk-effect" class="wrap">
              {effect(preview)}
            </p>
          </div>
          {preview.missing.length > 0 && (
            <p class="err">
              No value for {preview.missing.join(", ")}.{" "}
              <a href="/settings/secrets" data-testid="risk-secrets">
                Set it
              </a>
            </p>
          )}
        </>
      )}
    </section>
  );
}
