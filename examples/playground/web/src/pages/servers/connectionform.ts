import type { McphubServerItem } from "../../api/types";
import { parse } from "../../ui/json";
import type { OAuth } from "./oauthfields";

export interface Pair {
  name: string;
  value: string;
}

export interface Form {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string;
  transport: string;
  url: string;
  endpoint: string;
  headers: Pair[];
  command: string;
  args: string[];
  env: Pair[];
  cwd: string;
  timeoutMs: string;
  disabled: boolean;
  auto: boolean;
  oauth: OAuth | null;
  /** The tools that are taken, one on a line; null takes all. */
  only: string | null;
  except: string;
  /** What the names of the tools begin with; empty for the id. */
  prefix: string;
  /** Members of the connection that the form has no place for. */
  rest: Record<string, unknown>;
}

export const empty = (): Form => ({
  id: "",
  name: "",
  description: "",
  category: "",
  tags: "",
  transport: "http",
  url: "",
  endpoint: "",
  headers: [],
  command: "",
  args: [],
  env: [],
  cwd: "",
  timeoutMs: "",
  disabled: false,
  auto: false,
  oauth: null,
  only: null,
  except: "",
  prefix: "",
  rest: {},
});
/** lines are the names in a text, one on a line and as they are written. */
export const lines = (text: string) => [...new Set(text.split(/\r?\n/).filter((t) => t.trim() !== ""))];
/** slug is what names of tools begin with where no prefix is set. */
export const slug = (id: string) =>
  id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "") || "s";
const pairs = (o: unknown): Pair[] =>
  o !== null && typeof o === "object"
    ? Object.entries(o as Record<string, unknown>).map(([name, value]) => ({ name, value: String(value) }))
    : [];
const object = (list: Pair[]) =>
  Object.fromEntries(list.filter((p) => p.name.trim() !== "").map((p) => [p.name.trim(), p.value]));

const oauthOf = (o: unknown): OAuth | null =>
  o !== null && typeof o === "object" && !Array.isArray(o) ? (o as OAuth) : null;

export function formOf(s: McphubServerItem): Form {
  const c = { ...(s.connection as Record<string, unknown>) };
  const take = (name: string) => {
    const v = c[name];
    delete c[name];
    return v;
  };
  const transport = s.transport || s.status.endpoint.kind || ("command" in c ? "stdio" : "http");
  return {
    id: s.id,
    name: s.name ?? "",
    description: s.description ?? "",
    category: s.category ?? "",
    tags: (s.tags ?? []).join(", "),
    transport,
    url: String(take("url") ?? ""),
    endpoint: String(take("endpoint") ?? ""),
    headers: pairs(take("headers")),
    command: String(take("command") ?? ""),
    args: ((take("args") as string[] | undefined) ?? []).map(String),
    env: pairs(take("env")),
    cwd: String(take("cwd") ?? ""),
    timeoutMs: s.timeoutMs ? String(s.timeoutMs) : "",
    disabled: s.disabled ?? false,
    auto: s.autoConnect ?? false,
    oauth: oauthOf(take("oauth")),
    only: s.toolSelection?.only?.join("\n") ?? null,
    except: (s.toolSelection?.except ?? []).join("\n"),
    prefix: s.toolPrefix ?? "",
    rest: c,
  };
}

function connectionOf(f: Form): Record<string, unknown> {
  if (f.transport === "stdio")
    return {
      ...f.rest,
      command: f.command,
      ...(f.args.length ? { args: f.args } : {}),
      ...(f.env.length ? { env: object(f.env) } : {}),
      ...(f.cwd ? { cwd: f.cwd } : {}),
    };
  return {
    ...f.rest,
    url: f.url,
    ...(f.endpoint ? { endpoint: f.endpoint } : {}),
    ...(f.headers.length ? { headers: object(f.headers) } : {}),
    ...(f.oauth ? { oauth: f.oauth } : {}),
  };
}

export const body = (f: Form, version: number) => ({
  id: f.id,
  name: f.name,
  description: f.description,
  category: f.category,
  tags: f.tags
    .split(",")
    .map((t) => t.trim())
    .filter(Boolean),
  transport: f.transport,
  connection: connectionOf(f),
  timeoutMs: Number(f.timeoutMs) || 0,
  disabled: f.disabled,
  autoConnect: f.auto,
  toolSelection: {
    ...(f.only === null ? {} : { only: lines(f.only) }),
    ...(lines(f.except).length ? { except: lines(f.except) } : {}),
  },
  toolPrefix: f.prefix,
  ...(version ? { version } : {}),
});

const looksSecret = (name: string, value: string) =>
  value !== "" &&
  !value.includes("${") &&
  value !== "***" &&
  (/auth|token|key|secret|password|cookie/i.test(name) || /^(Bearer|Basic)\s/i.test(value));

/** proposal turns a literal secret into a placeholder, and says which. */
export function proposal(id: string, p: Pair): { pair: Pair; name: string; value: string } | null {
  if (!looksSecret(p.name, p.value)) return null;
  const m = /^((?:Bearer|Basic)\s+)?(.*)$/is.exec(p.value)!;
  const name =
    (id || "server").toUpperCase().replace(/[^A-Z0-9]+/g, "_") +
    "_" +
    p.name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return { pair: { name: p.name, value: (m[1] ?? "") + "${" + name + "}" }, name, value: m[2]! };
}

/** fromClient reads what people have in their clients' files. */
export function fromClient(text: string): Partial<Form> | null {
  const p = parse(text);
  if (!("value" in p) || p.value === null || typeof p.value !== "object") return null;
  let v = p.value as Record<string, any>;
  const box = v.mcpServers ?? v.servers;
  let id = "";
  if (box && typeof box === "object") {
    const first = Object.entries(box as Record<string, any>)[0];
    if (!first) return null;
    [id, v] = first;
  } else {
    const only = Object.entries(v);
    if (
      only.length === 1 &&
      only[0]![1] &&
      typeof only[0]![1] === "object" &&
      ("url" in only[0]![1] || "command" in only[0]![1] || "httpUrl" in only[0]![1])
    )
      [id, v] = only[0]! as [string, any];
  }
  const url = v.url ?? v.httpUrl ?? v.serverUrl;
  if (typeof v.command === "string")
    return {
      id,
      transport: "stdio",
      command: v.command,
      args: Array.isArray(v.args) ? v.args.map(String) : [],
      env: pairs(v.env),
      cwd: String(v.cwd ?? ""),
    };
  if (typeof url === "string")
    return {
      id,
      transport: v.type === "sse" ? "sse" : "http",
      url,
      endpoint: "",
      headers: pairs(v.headers ?? v.http_headers),
    };
  return null;
}
