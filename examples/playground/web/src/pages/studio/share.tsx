import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerConfigList, StudioGoCode, StudioToolDetail } from "../../api/types";
import { useData } from "../../ui/data";
import { Button, Copy, Dialog, Loading, ProblemView, Select, Tabs } from "../../ui/parts";
import { save } from "../shared/save";

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
