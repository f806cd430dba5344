import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerBuiltin, ServerServedTool } from "../../api/types";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, Check, counted, Dialog, Loading, ProblemView, Segments } from "../../ui/parts";
import { Level } from "../../ui/risk";

/** byServer groups tools: those of this program first, then those of each server. */
function byServer(tools: ServerServedTool[]): [string, ServerServedTool[]][] {
  const groups = new Map<string, ServerServedTool[]>();
  for (const t of tools) {
    const server = t.serverId ?? "";
    groups.set(server, [...(groups.get(server) ?? []), t]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** ToolPicker chooses what the model is offered: everything, nothing, or some servers and tools. */
export function ToolPicker({
  chosen,
  onClose,
  onChoose,
}: {
  chosen: string[] | null;
  onClose: () => void;
  onChoose: (names: string[] | null) => Promise<void>;
}) {
  const { data, error, reload } = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), [], ["tools"]);
  const [mode, setMode] = useState(chosen === null ? "all" : chosen.length === 0 ? "none" : "some");
  const [names, setNames] = useState(new Set(chosen ?? []));
  const [q, setQ] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const save = async () => {
    try {
      await onChoose(mode === "all" ? null : mode === "none" ? [] : [...names]);
      onClose();
    } catch (e) {
      fail(e);
    }
  };
  const take = (list: string[], on: boolean) =>
    setNames(new Set(on ? [...names, ...list] : [...names].filter((n) => !list.includes(n))));
  const offered = data?.tools.filter((t) => t.chat) ?? [];
  const shown = offered.filter((t) =>
    (t.name + " " + t.description + " " + (t.serverId ?? "")).toLowerCase().includes(q.toLowerCase()),
  );
  const gone = [...names].filter((n) => data && !offered.some((t) => t.name === n));
  return (
    <Dialog tid="tool-picker" title="Tools of this conversation" onClose={onClose}>
      <Segments
        tid="tool-mode"
        label="The model is offered"
        value={mode}
        options={[
          ["all", "All live tools"],
          ["some", "Chosen ones"],
          ["none", "None"],
        ]}
        onChange={setMode}
      />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="tools" />}
      {data && mode === "some" && (
        <>
          <input
            class="input"
            type="search"
            aria-label="Search tools"
            placeholder="Search"
            data-testid="tool-search"
            value={q}
            onInput={(e) => setQ(e.currentTarget.value)}
          />
          <div class="stack scroll-y">
            {byServer(shown).map(([server, tools]) => {
              const list = tools.map((t) => t.name);
              const on = list.filter((n) => names.has(n)).length;
              return (
                <section class="stack tight" data-testid="tool-group" data-id={server}>
                  <div class="row spread">
                    <Check
                      tid="tool-server"
                      dataId={server}
                      checked={on === list.length}
                      onChange={(all) => take(list, all)}
                    >
                      <strong>{server ? "Server " + server : "Tools of this program"}</strong>
                    </Check>
                    <span class="hint">
                      {on} of {counted(list.length, "tool")}
                    </span>
                  </div>
                  <ul class="stack tight">
                    {tools.map((t) => (
                      <li class="row spread">
                        <Check
                          tid="tool-choice"
                          dataId={t.name}
                          checked={names.has(t.name)}
                          onChange={(one) => take([t.name], one)}
                        >
                          <strong>{t.name}</strong>{" "}
                          <span class="muted clamp">
                            <Foreign text={t.description} />
                          </span>
                        </Check>
                        <Level level={t.level} />
                      </li>
                    ))}
                  </ul>
                </section>
              );
            })}
            {gone.map((n) => (
              <p class="hint">{n} is not offered now.</p>
            ))}
          </div>
        </>
      )}
      {failure !== null && <ProblemView error={failure} />}
      <footer>
        <span class="hint">From the next question on.</span>
        <Button tid="tool-picker-save" kind="primary" onClick={() => void save()}>
          Use these
        </Button>
      </footer>
    </Dialog>
  );
}
