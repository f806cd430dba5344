import { all, get, post, send } from "../../api/client";
import type { McphubServerItem, ServerMeta } from "../../api/types";

const own = "this-playground";

/**
 * inspectOwn connects this program to its own endpoint, as any client would be
 * connected, unless it is already, and says where its inspector shows a tool.
 */
export async function inspectOwn(tool: string): Promise<string> {
  const [{ endpoint }, servers] = await Promise.all([
    get<ServerMeta>("/api/meta"),
    all<McphubServerItem>("/api/mcp/servers"),
  ]);
  let server =
    servers.find((s) => s.status.endpoint.address === endpoint) ?? servers.find((s) => s.id === own);
  if (!server) {
    const made = await send<McphubServerItem>("POST", "/api/mcp/servers", {
      id: own,
      name: "This playground",
      transport: "http",
      connection: { url: endpoint },
    });
    server = made.data;
  }
  const at = "/api/mcp/servers/" + encodeURIComponent(server.id);
  await post(at + (server.status.state === "CONNECTED" ? "/sync" : "/connect"));
  return "/servers/" + encodeURIComponent(server.id) + "/inspect/tools?item=" + encodeURIComponent(tool);
}
