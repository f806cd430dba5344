import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerConfigList, StudioGoCode, StudioToolDetail } from "../../api/types";
import { freeNames } from "../../ui/code";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { parse } from "../../ui/json";
import { Button, Check, Copy, Dialog, Loading, ProblemView, Select, Tabs, Text } from "../../ui/parts";
import { fromNames, fromSchema } from "./generate";
import { save } from "../shared/save";
import type { Param, Spec } from "./spec";

export { ApprovalCard } from "../approvals/approvalcard";
export { History } from "./history";
export { Propose } from "./propose";
export { Attempts } from "./runattempts";
export { Console } from "./runconsole";
export { Limits } from "./runlimits";

interface GenerateProps {
  spec: Spec;
  how: "schema" | "code";
  onTake: (params: Param[]) => void;
  onClose: () => void;
}

/** Generate proposes parameters, from a schema or from what the code uses; none is taken over by itself. */
export function Generate({ spec, how, onTake, onClose }: GenerateProps) {
  const [text, setText] = useState("");
  const [off, setOff] = useState<Set<string>>(new Set());
  const [names, setNames] = useState<string[] | null>(null);
  const [failure, fail] = useState<unknown>(null);
  useEffect(() => {
    if (how === "code") freeNames(spec.code, spec["x-language"] === "typescript").then(setNames, fail);
  }, []);
  const read = text.trim() === "" ? null : parse(text);
  const made =
    how === "schema"
      ? read && "value" in read
        ? fromSchema(read.value)
        : null
      : names && { params: fromNames(names, spec), lost: [] };
  const problem = read && "error" in read ? read.error : typeof made === "string" ? made : "";
  const found = made && typeof made !== "string" ? made : null;
  const have = new Set((spec.params ?? []).map((p) => p.name));
  const taken = found?.params.filter((p) => !off.has(p.name)) ?? [];
  return (
    <Dialog
      tid="generate"
      title={how === "schema" ? "Parameters from a JSON Schema" : "Parameters from the code"}
      onClose={onClose}
    >
      {how === "schema" && (
        <Text
          tid="generate-schema"
          label="JSON Schema, or a tool with one"
          mono
          lines={8}
          value={text}
          onInput={setText}
          error={problem || undefined}
          placeholder={'{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'}
        />
      )}
      {failure !== null && <ProblemView error={failure} />}
      {how === "code" && names && found?.params.length === 0 && (
        <p class="muted">The code uses no name that is not declared.</p>
      )}
      {found && found.params.length > 0 && (
        <ul class="listbox" aria-label="Parameters that were found" tabIndex={0}>
          {found.params.map((p) => (
            <li class="pickrow">
              <Check
                tid="generate-param"
                dataId={p.name}
                checked={!off.has(p.name)}
                onChange={(on) =>
                  setOff((o) => (on ? new Set([...o].filter((n) => n !== p.name)) : new Set([...o, p.name])))
                }
              >
                <code>
                  <Foreign text={p.name} />
                </code>{" "}
                {p.type.toLowerCase()}
                {p.required ? ", required" : ""}
                {p.testValue !== undefined ? ", test value " + p.testValue : ""}
                {have.has(p.name) ? ", replaces the one of this name" : ""}
              </Check>
              {p.description && (
                <span class="hint">
                  <Foreign text={p.description} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {found && found.lost.length > 0 && (
        <p class="warn wrap" data-testid="generate-lost">
          A parameter cannot say: <Foreign text={found.lost.join("; ")} />. Check it in the code.
        </p>
      )}
      <footer>
        <Button tid="generate-cancel" onClick={onClose}>
          Cancel
        </Button>
        <Button
          tid="generate-take"
          kind="primary"
          disabled={taken.length === 0}
          onClick={() => onTake(taken)}
        >
          {taken.length === 1 ? "Add 1 parameter" : "Add " + taken.length + " parameters"}
        </Button>
      </footer>
    </Dialog>
  );
}

/** Share gives a tool away as something that runs elsewhere: a Go program, or what a client is told of this server. */
export function Share({
  tool,
  onClose,
}: {
  tool: Pick<StudioToolDetail, "id" | "name" | "live">;
  onClose: () => void;
}) {
  const [tab, setTab] = useState("go");
  const [client, setClient] = useState("");
  const { data, error, reload } = useData<{ go: StudioGoCode; clients: ServerConfigList }>(
    async (s) => {
      const [go, clients] = await Promise.all([
        get<StudioGoCode>("/api/tools/" + encodeURIComponent(tool.id) + "/go", s),
        get<ServerConfigList>("/api/mcp/client-configs", s),
      ]);
      return { go, clients };
    },
    [tool.id],
  );
  const config = data?.clients.items.find((c) => c.id === client) ?? data?.clients.items[0];
  return (
    <Dialog tid="share" cls="wide" title={"Use " + tool.name + " elsewhere"} onClose={onClose}>
      <Tabs
        tid="share"
        label="How"
        value={tab}
        onChange={setTab}
        tabs={[
          ["go", "Go program"],
          ["client", "MCP client"],
        ]}
      />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the code" lines={8} />}
      {data && tab === "go" && (
        <div class="stack tight">
          <p class="hint">
            A program of its own with the document as saved. It runs the tests before it serves the tool: a
            pass does not travel. No secret goes along.
          </p>
          <pre class="code tall" tabIndex={0} data-testid="share-go-code">
            {data.go.code}
          </pre>
          <div class="row end">
            <Button tid="share-go-save" small onClick={() => save(data.go.code, data.go.file, "text/plain")}>
              Download {data.go.file}
            </Button>
            <Copy tid="share-go-copy" text={data.go.code} label="Copy Go code" />
          </div>
        </div>
      )}
      {data && tab === "client" && config && (
        <div class="stack tight">
          <p class={tool.live ? "hint" : "warn"}>
            {tool.live
              ? "The client finds the tool as " + tool.name + " at this server."
              : tool.name + " is not live: a client finds it once it is published."}
          </p>
          <Select
            tid="share-client"
            label="Client"
            value={config.id}
            options={data.clients.items.map((c): [string, string] => [c.id, c.title])}
            onChange={setClient}
          />
          {config.where.map((w) => (
            <p class="hint">
              Goes to <code>{w.path}</code>
            </p>
          ))}
          <pre class="code" tabIndex={0} data-testid="share-client-text">
            {config.text}
          </pre>
          {config.note && <p class="hint">{config.note}</p>}
          <div class="row end">
            <Copy tid="share-client-copy" text={config.text} label="Copy for client" />
          </div>
        </div>
      )}
    </Dialog>
  );
}
