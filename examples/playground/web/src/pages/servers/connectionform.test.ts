import { describe, expect, test } from "vitest";
import type { McphubServerItem } from "../../api/types";
import { body, empty, formOf, fromClient, lines, proposal, slug } from "./connectionform";

describe("a configuration that is pasted", () => {
  const program = { id: "files", transport: "stdio", command: "npx", args: ["-y", "server"] };
  test.each([
    ["a file of a client", { mcpServers: { files: { command: "npx", args: ["-y", "server"] } } }],
    ["a file of an editor", { servers: { files: { command: "npx", args: ["-y", "server"] } } }],
    ["one entry of it", { files: { command: "npx", args: ["-y", "server"] } }],
  ])("%s", (_, text) => expect(fromClient(JSON.stringify(text))).toMatchObject(program));

  test("the inside of an entry has no name", () => {
    expect(fromClient('{"command":"npx","env":{"A":"1"},"cwd":"/tmp"}')).toEqual({
      id: "",
      transport: "stdio",
      command: "npx",
      args: [],
      env: [{ name: "A", value: "1" }],
      cwd: "/tmp",
    });
  });

  test.each(["url", "httpUrl", "serverUrl"])("a server under %s", (member) => {
    const text = JSON.stringify({
      mcpServers: { far: { [member]: "https://x.test/mcp", headers: { A: "b" } } },
    });
    expect(fromClient(text)).toMatchObject({
      id: "far",
      transport: "http",
      url: "https://x.test/mcp",
      headers: [{ name: "A", value: "b" }],
    });
  });

  test("an old transport is kept", () => {
    expect(fromClient('{"far":{"url":"https://x.test/sse","type":"sse"}}')).toMatchObject({
      transport: "sse",
    });
  });

  test.each(["", "npx -y server", "null", "[]", "{}", '{"mcpServers":{}}', '{"a":1,"b":2}'])(
    "%j is none",
    (text) => expect(fromClient(text)).toBeNull(),
  );
});

describe("a secret that was typed", () => {
  test("becomes a variable, and keeps the scheme in front of it", () => {
    expect(proposal("my files", { name: "Authorization", value: "Bearer abc" })).toEqual({
      pair: { name: "Authorization", value: "Bearer ${MY_FILES_AUTHORIZATION}" },
      name: "MY_FILES_AUTHORIZATION",
      value: "abc",
    });
  });
  test.each([
    ["X-Region", "eu"],
    ["Authorization", "Bearer ${TOKEN}"],
    ["Authorization", "***"],
    ["API_KEY", ""],
  ])("%s: %j stays", (name, value) => expect(proposal("s", { name, value })).toBeNull());
});

test("a server that is opened and saved is the same", () => {
  const server = {
    id: "far",
    transport: "http",
    connection: { url: "https://x.test/mcp", headers: { A: "b" }, unknownMember: { kept: true } },
    tags: ["one", "two"],
    timeoutMs: 500,
    toolSelection: { only: ["a"], except: ["b"] },
    toolPrefix: "f",
    status: { endpoint: {} },
  } as unknown as McphubServerItem;
  expect(body(formOf(server), 3)).toMatchObject({
    id: "far",
    transport: "http",
    connection: server.connection,
    tags: ["one", "two"],
    timeoutMs: 500,
    toolSelection: { only: ["a"], except: ["b"] },
    toolPrefix: "f",
    version: 3,
  });
});

test("an empty form takes all tools and sets no limits", () => {
  expect(body(empty(), 0)).toMatchObject({ toolSelection: {}, timeoutMs: 0, tags: [] });
  expect(body(empty(), 0)).not.toHaveProperty("version");
});

test("names of tools", () => {
  expect(lines("a\r\n\n  \nb\na")).toEqual(["a", "b"]);
  expect(slug("My Server 2!")).toBe("my_server_2");
  expect(slug("ü")).toBe("s");
});
