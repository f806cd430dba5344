import http from "node:http";
import { axe, check, equal, id, Playground, same, scenario, shot, until } from "./world.mjs";

/** counter is an MCP server whose tools can be changed while it runs. */
function counter() {
  const tools = ["count", "fail"].map((name) => ({ name, description: "Does " + name + ".", annotations: { readOnlyHint: true }, inputSchema: { type: "object", properties: {} } }));
  const server = http.createServer((req, res) => {
    let body = "";
    req.on("data", (d) => (body += d));
    req.on("end", () => {
      if (req.method !== "POST") return res.writeHead(405).end();
      const m = JSON.parse(body);
      if (m.id === undefined) return res.writeHead(202).end();
      const reply = (more) => res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: m.id, ...more }));
      const answers = { initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "counter", version: "7" } }, "tools/list": { tools }, ping: {} };
      if (answers[m.method]) return reply({ result: answers[m.method] });
      if (m.method !== "tools/call") return reply({ error: { code: -32601, message: "no such method" } });
      reply({ result: { isError: m.params.name === "fail", content: [{ type: "text", text: m.params.name }] } });
    });
  });
  return new Promise((r) => server.listen(0, "127.0.0.1", () => r({ url: `http://127.0.0.1:${server.address().port}/mcp`, tools, close: () => (server.closeAllConnections(), server.close()) })));
}

/** serverPage are the scenarios of the overview of a server. */
export async function serverPage() {
  const p = await new Playground("serverpage").start();
  const far = await counter();
  const close = (page) => page.context().close();
  const heading = (page, text) => until("the page is " + text, async () => (await id(page, "page-title").textContent()) === text);
  const list = async (page) => page.locator('nav a[href="/servers"]').first().click();

  await scenario("62a", "the page of a server shows its health, its tools and its last calls; a call leads to its trace", async () => {
    const page = await p.page("/servers/new");
    await id(page, "server-id").fill("calc");
    await id(page, "server-name").fill("Counter");
    await id(page, "server-url").fill(far.url);
    await id(page, "server-save-connect").click();
    await heading(page, "Counter");
    await until("it is connected", async () => (await id(page, "server-status").locator('[data-testid="server-state"]').getAttribute("data-state")) === "connected");
    await until("what it is", async () => /counter 7/.test(await id(page, "server-status").textContent()));
    await same(() => id(page, "server-offers").textContent(), "2 tools, 0 resources, 0 prompts", "what it offers");
    equal(await id(page, "server-url").count(), 0, "the form is not shown");
    equal(await id(page, "server-warning").count(), 0, "warnings");
    await until("no call yet", async () => /None since/.test(await id(page, "server-calls").textContent()));

    // Each tool is confirmed and called where its name leads to, as often as is asked for.
    for (const name of ["count", "fail"]) {
      await p.api("PUT", "/api/mcp/approval-policies", { serverId: "calc", toolName: name, policy: "ALWAYS_ALLOW" });
      await p.api("PUT", "/api/mcp/approval-policies", { serverId: "calc", toolName: name, side: "chat", policy: "ALWAYS_ALLOW" });
      const tool = (await p.api("GET", "/api/mcp/servers/calc/capabilities")).data.tools.find((t) => t.key === name);
      equal((await p.api("POST", "/api/mcp/servers/calc/levels", { toolName: name, fingerprint: tool.fingerprint, level: "L2" })).status, 200, "the level");
      await id(page, "switch-open", `[data-id="${name}"]`).click();
      await id(page, "tool-trial", `[data-id="${name}"]`).waitFor();
      await id(page, "inspect-run").click();
      await until("it ended", async () => ["yes", "no"].includes(await id(page, "inspection").getAttribute("data-ok")));
      await id(page, "crumb").last().click();
      await heading(page, "Counter");
      await id(page, "switch-row", `[data-id="${name}"]`).locator('[data-level="L2"]').waitFor();
    }
    await same(() => id(page, "server-call").evaluateAll((l) => l.map((e) => e.dataset.id + " " + e.querySelector("[data-status]").dataset.status)), ["fail error", "count ok"], "the last calls");
    await until("with time and duration", async () => /by hand.*(now|ago).* m?s$/.test(await id(page, "server-call").first().textContent()));
    await shot(page, "server_overview");
    await id(page, "server-call", '[data-id="count"]').click();
    await until("its trace is open", () => /\/observe\/traces\?.*trace=[0-9a-f]{32}/.test(page.url()));
    await until("of this tool", async () => /count/.test(await page.locator("main").textContent()));
    await close(page);
  });

  await scenario("62b", "the form is behind Edit, and leads back", async () => {
    const page = await p.page("/");
    await list(page);
    await id(page, "server-open", '[data-id="calc"]').click();
    await id(page, "server-edit").click();
    await heading(page, "Edit Counter");
    await id(page, "server-name").fill("Counter of all");
    await id(page, "server-cancel").click();
    await heading(page, "Counter");
    await id(page, "server-edit").click();
    await id(page, "server-name").fill("Counter two");
    await id(page, "server-save").click();
    await heading(page, "Counter two");
    equal((await p.api("GET", "/api/mcp/servers/calc")).data.name, "Counter two", "the name");
    await close(page);
  });

  await scenario("62c", "what is wrong is said in plain words, with the way to mend it", async () => {
    const page = await p.page("/servers/new");
    await id(page, "server-id").fill("dead");
    await id(page, "server-url").fill("http://127.0.0.1:1/mcp");
    await id(page, "server-save-connect").click();
    await id(page, "server-warning", '[data-id="error"]').waitFor();
    check(/^Nothing answers at this address/.test(await id(page, "server-warning").innerText()), "plain words");
    check(!/dial tcp/.test(await page.locator("main").innerText()), "no error text of the program");
    await id(page, "warning-details").click();
    await until("the text for who asks", async () => /refused/.test(await id(page, "server-warning").innerText()));
    await shot(page, "server_dead");
    await id(page, "server-edit").click();
    await id(page, "server-delete").click();
    await id(page, "server-delete-confirm").click();
    await until("it is gone", () => new URL(page.url()).pathname === "/servers");

    // A tool that changes after it was approved is named, and reviewed where it is.
    await id(page, "server-open", '[data-id="calc"]').click();
    await id(page, "switch-clients", '[data-id="count"]').check();
    await id(page, "switches-review").click();
    await id(page, "plan-apply").click();
    await id(page, "plan-review").waitFor({ state: "detached" });
    Object.assign(far.tools[0], { description: "Does something else.", annotations: {}, inputSchema: { type: "object", properties: { diary: { type: "string" } }, required: ["diary"] } });
    await id(page, "server-sync").click();
    await id(page, "server-warning", '[data-id="changed"]').waitFor();
    check(/changed since it was approved/.test(await id(page, "server-warning", '[data-id="changed"]').innerText()), "what changed");
    await shot(page, "server_changed");
    await id(page, "switch-again", '[data-id="count"]').click();
    const said = (tid) => id(page, tid).locator("li").allInnerTexts();
    await same(() => said("plan-wider"), ['It does not say any more that it only reads.', 'It takes the new argument "diary", which is required.'], "what it could not do before");
    await same(() => said("plan-different"), ["It describes itself in other words."], "what else is different");
    await shot(page, "server_changed_review");
    equal(await axe(page), [], "axe of the review");
    await id(page, "plan-apply").click();
    await id(page, "server-warning", '[data-id="changed"]').waitFor({ state: "detached" });

    // What clients are offered of it leads back to it.
    await list(page);
    await id(page, "builtin-row").click();
    await id(page, "served-server", '[data-id="calc_count"]').click();
    await heading(page, "Counter two");
    await close(page);
  });

  await scenario("62e", "a program is agreed to before the list connects it", async () => {
    await p.api("POST", "/api/mcp/servers", { id: "prog", transport: "stdio", connection: { command: "/bin/cat", args: ["/dev/null"] } });
    const page = await p.page("/");
    await list(page);
    await id(page, "server-agree", '[data-id="prog"]').click();
    await until("it cannot be connected", () => id(page, "server-connect").isDisabled());
    await id(page, "stdio-consent").check();
    await id(page, "server-connect").click();
    await id(page, "server-warning", '[data-id="error"]').waitFor();
    await list(page);
    await id(page, "server-connect", '[data-id="prog"]').waitFor();
    await p.api("DELETE", "/api/mcp/servers/prog");
    await close(page);
  });

  await scenario("62d", "the page of a server keeps nobody out, in both themes and on a telephone", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await p.page("/servers/calc", { colorScheme, bypassCSP: true });
      await id(page, "switch-row").first().waitFor();
      await id(page, "server-call").first().waitFor();
      equal(await axe(page), [], "axe, " + colorScheme);
      await id(page, "server-edit").click();
      await id(page, "server-save").waitFor();
      equal(await axe(page), [], "axe of the form, " + colorScheme);
      await close(page);
    }
    for (const width of [390, 360]) {
      const page = await p.page("/servers/calc", { viewport: { width, height: 800 } });
      await id(page, "switch-row").first().waitFor();
      await until("nothing stands out at the side", () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const cut = () => page.evaluate(() => [...document.querySelectorAll("nav.rail a.item .text")].filter((e) => e.getBoundingClientRect().right > innerWidth || e.getBoundingClientRect().left < 0).map((e) => e.textContent));
      await same(cut, [], "names of the places that are cut at " + width);
      await shot(page, "server_overview_" + width);
      await close(page);
    }
  });
  far.close();
  await p.stop();
}
