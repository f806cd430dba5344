import type { McphubCapabilityItem, McphubMemberItem, McphubServerItem } from "../../api/types";
import { whyUnreachable } from "./unreachable";

/** Warning is something about a server that a person may have to look at. */
export interface Warning {
  id: string;
  tone: "bad" | "mid";
  text: string;
  /** What the server says about it, which is its claim. */
  claims?: string[];
  /** The error as the program has it, for who asks. */
  raw?: string;
  /** The tools that it is about. */
  tools?: string[];
  /** Where it is mended. */
  way?: [string, string];
}

const some = (n: number, one: string, many: string) => (n === 1 ? one : n.toLocaleString("en") + " " + many);

/** warningsOf lists what is wrong with a server and its tools, the worst first. */
export function warningsOf(
  server: McphubServerItem,
  caps: McphubCapabilityItem | undefined,
  members: McphubMemberItem[],
): Warning[] {
  const out: Warning[] = [];
  const { status } = server;
  if (!server.disabled && status.missing)
    out.push({
      id: "missing-value",
      tone: "bad",
      text: "No value for " + status.missing.join(", ") + ".",
      way: ["Set it", "/settings/secrets"],
    });
  else if (!server.disabled && status.error && status.state !== "AWAITING_AUTHORIZATION")
    out.push({ id: "error", tone: "bad", text: whyUnreachable(status.error), raw: status.error });
  if (caps?.syncStatus === "SYNC_FAILED")
    out.push({
      id: "sync-failed",
      tone: "mid",
      text: "It could not be asked for its tools the last time: this list may be old.",
    });
  else if (caps?.restored && status.state !== "CONNECTED" && caps.tools.length > 0)
    out.push({
      id: "restored",
      tone: "mid",
      text: "This list is from before the program started. Connect to read it again.",
    });
  if (caps?.problems && caps.problems.length > 0)
    out.push({
      id: "problems",
      tone: "mid",
      text: "Something that it offers could not be used and was left out.",
      claims: caps.problems,
    });
  const inState = (state: string) => members.filter((m) => m.state === state).map((m) => m.toolName);
  const about = (id: string, tools: string[], one: string, many: string, way?: [string, string]) => {
    if (tools.length > 0)
      out.push({ id, tone: "mid", text: some(tools.length, one, many), tools, ...(way ? { way } : {}) });
  };
  about(
    "changed",
    inState("changed"),
    "A tool changed since it was approved. It is off until you review it.",
    "tools changed since they were approved. They are off until you review them.",
  );
  about(
    "blocked",
    inState("blocked"),
    "A scan blocks the text of a tool. It is off until you review it and confirm its level.",
    "tools have texts that a scan blocks. They are off until you review them and confirm their levels.",
  );
  about(
    "gone",
    inState("missing"),
    "A tool that is switched on is not offered any more.",
    "tools that are switched on are not offered any more.",
  );
  about(
    "name-taken",
    inState("name-taken"),
    "A tool is not offered, because another one has its name.",
    "tools are not offered, because others have their names.",
    ["Change the prefix", "/servers/" + encodeURIComponent(server.id) + "/edit"],
  );
  about(
    "shadowing",
    inState("shadowing"),
    "A tool is not offered, because it looks like a tool of another server, or orders the model to call one.",
    "tools are not offered, because they look like tools of other servers, or order the model to call them.",
  );
  about(
    "invalid",
    inState("invalid"),
    "A tool that is switched on has a definition that cannot be used.",
    "tools that are switched on have definitions that cannot be used.",
  );
  const served = new Set(inState("served"));
  const tools = (caps?.tools ?? []).filter((t) => !t.leftOut);
  about(
    "unconfirmed",
    tools.filter((t) => served.has(t.key) && t.risk?.level === "unknown").map((t) => t.key),
    "A tool that is switched on has no confirmed risk level: you are asked before each call.",
    "tools that are switched on have no confirmed risk level: you are asked before each call.",
  );
  about(
    "findings",
    tools.filter((t) => (t.risk?.findings ?? []).length > 0).map((t) => t.key),
    "A scan found something suspicious in the texts of a tool.",
    "tools have texts in which a scan found something suspicious.",
  );
  return out;
}
