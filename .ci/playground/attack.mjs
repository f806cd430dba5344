// What a server may describe its tools with to keep the page busy or to break it,
// and a page that breaks all the same.
import http from "node:http";
import { check, id, Playground, same, scenario, until, violations } from "./world.mjs";

const many = (n, of) => Object.fromEntries([...Array(n).keys()].map((i) => ["p" + i, of(i)]));
const loop = many(60, () => ({ $ref: "#" }));

/** schemas are what no author would write. */
const schemas = {
  loops: { type: "object", properties: loop, required: Object.keys(loop) },
  choices: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"], $defs: { a: { anyOf: [{ type: "null" }, ...Array(20).fill({ $ref: "#/$defs/a" })] } } },
  odd: { type: "object", properties: { any: true, none: false, nil: null, seven: 7, list: [], items: { type: "array", items: true }, forms: { oneOf: [true, null] }, constructor: { type: "string" }, values: { enum: 5 } }, required: 5 },
  wide: { type: "object", properties: many(3000, (i) => ({ type: "string", enum: ["v" + i] })) },
  deep: JSON.parse('{"type":"object","properties":{"a":'.repeat(80) + "{}" + "}}".repeat(80)),
  hidden: { type: "object", properties: { a: { type: "string", description: "a\u200B".repeat(30_000) } } },
};

function server() {
  const answer = http.createServer((req, res) => {
    let body = "";
    req.on("data", (d) => (body += d));
    req.on("end", () => {
      if (req.method !== "POST") return res.writeHead(405).end();
      const m = JSON.parse(body);
      if (m.id === undefined) return res.writeHead(202).end();
      const result =
        m.method === "initialize" ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } }
        : m.method === "tools/list" ? { tools: Object.entries(schemas).map(([name, inputSchema]) => ({ name, description: "b\u200B".repeat(20_000), inputSchema })) }
        : {};
      res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: m.id, result }));
    });
  });
  return new Promise((r) => answer.listen(0, "127.0.0.1", () => r({ url: `http://127.0.0.1:${answer.address().port}/mcp`, close: () => answer.close() })));
}

export async function attack() {
  const p = await new Playground("attack").start();

  await scenario("97s", "schemas that loop, are no schemas or have thousands of parts neither stop the page nor blank it", async () => {
    const there = await server();
    await p.api("POST", "/api/mcp/servers", { id: "odd", transport: "http", connection: { url: there.url } });
    await p.api("POST", "/api/mcp/servers/odd/connect", {});
    for (const name of Object.keys(schemas)) {
      const page = await p.page("/servers/odd/inspect/tools");
      await id(page, "offered-item", `[data-id="${name}"]`).click();
      await id(page, "tool-trial", `[data-id="${name}"]`).waitFor();
      await page.waitForTimeout(100);
      const parts = await page.evaluate(() => document.querySelectorAll("*").length);
      check(parts < 20_000, name + ": " + parts + " parts of the page");
      await id(page, "args-json").click(); // it still answers
      await id(page, "args-json-text").waitFor();
      await same(() => id(page, "page-failed").count(), 0, name);
      await page.context().close();
    }
    there.close();
  });

  await scenario("97t", "a page that fails says so, and another one can be opened", async () => {
    const page = await p.page("/");
    await page.route(/\/api\/mcp\/servers(\?|$)/, (route) => route.fulfill({ contentType: "application/json", body: '{"items":[null],"servers":[null],"total":1}' }));
    const before = violations.length;
    await page.locator('a[href="/servers"]').first().click();
    await id(page, "page-failed").waitFor();
    await until("it says what is wrong", async () => /could not be shown/.test(await id(page, "page-failed").textContent()));
    await page.locator('a[href="/settings"]').first().click();
    await page.locator("h1", { hasText: "Settings" }).waitFor();
    await same(() => id(page, "page-failed").count(), 0, "the next page");
    violations.splice(before); // what failed was told to the console
    await page.context().close();
  });

  await p.stop();
}
