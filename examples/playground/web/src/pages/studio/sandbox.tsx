import { useState } from "preact/hooks";
import type { StudioPreview } from "../../api/types";
import { Button, Dialog, Text } from "../../ui/parts";
import { levelOf, levelWords } from "../../ui/risk";
import { effect } from "./risk";
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
}

function wider(host: string): string {
  if (host === "*") return "Any host: this is no limit, and raises the level.";
  if (host.startsWith("*.")) return "Every host below this one.";
  if (/:\d+$/.test(host) && !/:(80|443)$/.test(host)) return "A port that is not the usual one.";
  return "";
}

/** Sandbox is what the tool declares to use, and whether a person is asked before each call. */
export function Sandbox({ spec, change, readOnly, preview }: Props) {
  const o = spec.sandboxOverrides ?? {};
  const [host, setHost] = useState("");
  const [asking, ask] = useState(false);
  const set = (next: Partial<Overrides>) => change({ ...spec, sandboxOverrides: { ...o, ...next } });
  const hosts = o.hostsAllow ?? [];
  const add = (list: string[]) =>
    set({ networkMode: "allowlist", hostsAllow: [...new Set([...hosts, ...list])] });
  const inCode = hostsIn(spec.code).filter((h) => !hosts.includes(h));
  const files = o.fileWrite ? (o.fileRead ? "both" : "write") : o.fileRead ? "read" : "off";
  const approval = spec.humanInTheLoop?.mode === "REQUIRED";
  const setApproval = (mode: string) =>
    change({ ...spec, humanInTheLoop: { ...(spec.humanInTheLoop ?? {}), mode } });
  return (
    <section class="stack" aria-labelledby="sandbox-title">
      <h2 id="sandbox-title" class="vh">
        Sandbox
      </h2>
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
              ["write", "Write"],
              ["both", "Read and write"],
            ] as const
          ).map(([v, text]) => (
            <label>
              <input
                type="radio"
                name="files"
                data-testid={"files-" + v}
                checked={files === v}
                onChange={() =>
                  set({ fileRead: v === "read" || v === "both", fileWrite: v === "write" || v === "both" })
                }
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
        <div class="row spread">
          <span class="warn">It declares that it deletes or moves things.</span>
          {!readOnly && (
            <Button tid="destructive-off" small onClick={() => set({ destructive: false })}>
              Do not declare it
            </Button>
          )}
        </div>
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
