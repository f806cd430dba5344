import { useState } from "preact/hooks";
import type { McphubCapabilityItem, McphubInspectionItem, McphubOfferedItem } from "../../api/types";
import { Foreign, pieces, suspicious } from "../../ui/hostile";
import { Button, counted, Select, Text } from "../../ui/parts";
import { Checks } from "./inspectfeeds";
import { type Def, type Operate } from "./inspectops";
import { Record } from "./inspecttrials";

/** Completions asks how a value could go on, of prompts and resource templates. */
export function Completions({ caps, operate }: { caps: McphubCapabilityItem; operate: Operate }) {
  const sources = [
    ...caps.prompts
      .filter((p) => (((p.definition as Def).arguments ?? []) as Def[]).length > 0)
      .map((p): [string, string] => ["p " + p.key, "Prompt " + p.key]),
    ...caps.resourceTemplates.map((t): [string, string] => ["t " + t.key, "Template " + t.key]),
  ];
  const [source, choose] = useState(sources[0]?.[0] ?? "");
  const key = source.slice(2);
  const names = source.startsWith("p ")
    ? (
        ((caps.prompts.find((p) => p.key === key)?.definition as Def | undefined)?.arguments ?? []) as Def[]
      ).map((a) => String(a.name))
    : [...key.matchAll(/\{([^{}]+)\}/g)].map((m) => m[1]!.replace(/^[+#./;?&]/, "").replace(/\*$/, ""));
  const [argument, setArgument] = useState("");
  const [value, setValue] = useState("");
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const name = names.includes(argument) ? argument : (names[0] ?? "");
  const values = ((rec?.result as Def | undefined)?.completion?.values ?? []) as unknown[];
  if (sources.length === 0)
    return (
      <p class="muted">
        No prompt has arguments, and there is no resource template: nothing can be completed.
      </p>
    );
  return (
    <section class="card stack">
      <h2>How a value could go on</h2>
      <Select tid="completion-source" label="Of" value={source} options={sources} onChange={choose} />
      <Select
        tid="completion-argument"
        label="Argument"
        value={name}
        options={names.map((n): [string, string] => [n, n])}
        onChange={setArgument}
      />
      <Text tid="completion-value" label="Typed so far" value={value} onInput={setValue} />
      <div class="row">
        <Button
          tid="completion-ask"
          kind="primary"
          disabled={name === ""}
          onClick={async () =>
            setRec(
              await operate("/complete", {
                ...(source.startsWith("p ") ? { prompt: key } : { template: key }),
                argument: name,
                value,
              }),
            )
          }
        >
          Ask
        </Button>
      </div>
      {rec?.ok &&
        (values.length > 0 ? (
          <ul class="row" data-testid="completion-values">
            {values.map((v) => (
              <li class="chip">
                <Foreign text={String(v)} />
              </li>
            ))}
          </ul>
        ) : (
          <p class="muted">The server proposes nothing.</p>
        ))}
      <Record rec={rec} />
    </section>
  );
}

/** Tasks are calls that go on after they were made (2025-11-25). */
export function Tasks({ operate }: { operate: Operate }) {
  const [list, setList] = useState<Def[] | null>(null);
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const ask = async () => {
    const r = await operate("/raw", { method: "tasks/list", params: {} });
    setRec(r?.ok ? null : r);
    if (r?.ok) setList(((r.result as Def)?.tasks ?? []) as Def[]);
  };
  const one = async (method: string, taskId: unknown) => {
    setRec(await operate("/raw", { method, params: { taskId } }));
    if (method === "tasks/cancel") void ask();
  };
  return (
    <section class="card stack">
      <h2>Tasks of this session</h2>
      <div class="row">
        <Button tid="tasks-list" kind="primary" onClick={() => void ask()}>
          Ask for the list
        </Button>
      </div>
      {list?.length === 0 && <p class="muted">The server knows of no task.</p>}
      <ul class="stack tight">
        {(list ?? []).map((t) => (
          <li class="row spread" data-testid="task-row">
            <span class="wrap">
              <code>
                <Foreign text={String(t.taskId)} />
              </code>{" "}
              <Foreign text={String(t.status ?? "")} />
            </span>
            <span class="row">
              <Button tid="task-get" small onClick={() => void one("tasks/get", t.taskId)}>
                Look
              </Button>
              <Button tid="task-result" small onClick={() => void one("tasks/result", t.taskId)}>
                Result
              </Button>
              <Button
                tid="task-cancel"
                small
                kind="danger"
                onClick={() => void one("tasks/cancel", t.taskId)}
              >
                Cancel the task
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <Record rec={rec} />
    </section>
  );
}

/** around is what stands about a place in a text. */
function around(text: string): string[] {
  const list = pieces(text);
  return list
    .flatMap((p, i) =>
      p.kind === ""
        ? []
        : [
            (list[i - 1]?.text.slice(-30) ?? "") +
              "⟦" +
              p.text +
              "⟧" +
              (list[i + 1]?.text.slice(0, 30) ?? ""),
          ],
    )
    .slice(0, 5);
}

/** Security is what a person should look at closely, and how the server keeps to the protocol. */
export function Security({ id, caps }: { id: string; caps: McphubCapabilityItem }) {
  const kinds: [string, McphubOfferedItem[]][] = [
    ["Tool", caps.tools],
    ["Resource", caps.resources],
    ["Template", caps.resourceTemplates],
    ["Prompt", caps.prompts],
  ];
  const found = kinds.flatMap(([kind, list]) =>
    list
      .filter((d) => suspicious(JSON.stringify(d.definition)))
      .map((d) => ({ kind, key: d.key, at: texts(d.definition).flatMap(around) })),
  );
  if (caps.instructions && suspicious(caps.instructions))
    found.unshift({ kind: "Instructions", key: "of the server", at: around(caps.instructions) });
  return (
    <div class="stack">
      <section class="card stack tight" data-testid="security-findings">
        <h2>What reads like an instruction, or hides</h2>
        <p class="hint">
          Looked at: names, descriptions and schemas of {counted(caps.tools.length, "tool")},{" "}
          {counted(caps.resources.length + caps.resourceTemplates.length, "resource")} and{" "}
          {counted(caps.prompts.length, "prompt")}.
        </p>
        {found.length === 0 && (
          <p class="ok">✓ Nothing was found. That is no proof: the server's texts stay its claims.</p>
        )}
        <ul class="stack tight">
          {found.map((f) => (
            <li class="note bad" data-testid="security-row">
              <strong>
                {f.kind} <Foreign text={f.key} />
              </strong>
              {f.at.map((t) => (
                <code class="wrap">{t}</code>
              ))}
            </li>
          ))}
        </ul>
      </section>
      {caps.instructions && (
        <section class="card stack tight">
          <h2>What the server tells a model about itself</h2>
          <p>
            <Foreign text={caps.instructions} />
          </p>
        </section>
      )}
      <Checks id={id} />
    </div>
  );
}

/** texts are those in a value, however deep. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([k, v]) => [k, ...texts(v)])
    : [];
}
