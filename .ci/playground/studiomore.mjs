import fs from "node:fs";
import { axe, check, Client, code, equal, id, pick, Playground, same, scenario, shot, spec, until } from "./world.mjs";

const editor = '[data-testid="tool-code-rich"] .cm-content';
const open = async (p, tool, more) => {
  const page = await p.page("/tools/" + tool.id, more);
  await id(page, "tool-name").waitFor();
  await page.locator(editor).waitFor();
  return page;
};
const text = (page) => page.locator(editor).evaluate((e) => [...e.querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n"));
const close = (page) => page.context().close();
const test = (p, t) => p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});

/** The Tool Studio beyond its first steps. */
export async function studioMore() {
  const p = await new Playground("studiomore", { env: { SCENARIO_KEY: "value-of-the-key-8812" } }).start();

  await scenario("S1", "Format puts code in order and loses no comment", async () => {
    const t = await p.tool(spec("untidy"));
    const page = await open(p, t);
    await code(page, "// first\n  const a=n*2 // why\nif(a>3){\nconsole.log(`a  ${a}  b`,  /x  y/.test('z  z'))\n\n\n\n}   \n/* last */ return {twice:a}");
    await id(page, "tool-code-format").click();
    await until("it is in order", async () => (await text(page)) === "// first\nconst a = n * 2 // why\nif (a > 3) {\n  console.log(`a  ${a}  b`, /x  y/.test('z  z'))\n\n}\n/* last */ return { twice: a }\n").catch(async (e) => { throw new Error(e.message + " is: " + JSON.stringify(await text(page))); });
    await id(page, "tool-save").click();
    await until("it is stored", async () => (await p.api("GET", "/api/tools/" + t.id)).data.spec.code.startsWith("// first\nconst a = n * 2 // why"));
    await page.reload();
    await page.locator(editor).waitFor();
    await until("after a reload", async () => (await text(page)).includes("return { twice: a }"));
    await code(page, "const = ;");
    await id(page, "tool-code-format").click();
    await id(page, "toast").filter({ hasText: "not formatted" }).waitFor();
    await close(page);
  });

  await scenario("S2", "the editor says what a helper does and needs, and completes it", async () => {
    const t = await p.tool(spec("documented"));
    const page = await open(p, t);
    await code(page, "await fetch('https://example.com')");
    await page.locator(".cm-line").getByText("fetch", { exact: true }).first().hover({ position: { x: 8, y: 8 } });
    await page.locator(".cm-doc").waitFor();
    await until("the docs", async () => /Declare the host/.test(await page.locator(".cm-doc").textContent()));
    await code(page, "");
    await page.keyboard.type("safety.fs.re");
    await page.locator(".cm-tooltip-autocomplete").waitFor();
    await until("the proposal", async () => /safety\.fs\.readText/.test(await page.locator(".cm-tooltip-autocomplete").textContent()));
    await same(() => text(page), "safety.fs.re", "every key that was pressed");
    await page.keyboard.press("Escape");
    await page.keyboard.type("\nconst a = 'typed fast, without a pause. And nothing of it is lost.';");
    await until(async () => await text(page), async () => (await text(page)).endsWith("const a = 'typed fast, without a pause. And nothing of it is lost.'';") || (await text(page)).endsWith("is lost.';"));
    await shot(page, "studio-complete");
    await close(page);
  });

  await scenario("S3", "who comes by Tab leaves by Tab; Enter is to stay", async () => {
    const page = await open(p, await p.tool(spec("tabbed")));
    const inside = () => page.evaluate(() => document.activeElement?.getAttribute("data-testid") === "tool-code-rich");
    await id(page, "tool-code-format").focus();
    await page.keyboard.press("Tab");
    await until("in the code", inside);
    await page.keyboard.press("Tab");
    await until("and out", async () => !(await inside()));
    await page.keyboard.press("Shift+Tab");
    await until("in again", inside);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await until("Tab indents now", () => inside());
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await until("Escape, then Tab leaves", async () => !(await inside()));
    await close(page);
  });

  await scenario("S4", "members that the page does not know stay in the document", async () => {
    const t = await p.tool(spec("extended", { "x-team": { owner: "tools", tier: 2 } }));
    const page = await open(p, t);
    await id(page, "tool-description").fill("Doubles a number, with something of our own. Use it when asked.");
    await id(page, "tool-save").click();
    await until("stored", async () => (await p.api("GET", "/api/tools/" + t.id)).data.description.includes("of our own"));
    await same(async () => (await p.api("GET", "/api/tools/" + t.id)).data.spec["x-team"], { owner: "tools", tier: 2 }, "the member");
    await id(page, "pane-json").click();
    await page.locator('[data-testid="spec-json-rich"] .cm-content').waitFor();
    await id(page, "spec-copy").click();
    await same(async () => JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))["x-team"], { owner: "tools", tier: 2 }, "in the JSON");
    await id(page, "pane-model").click();
    await id(page, "model-sees").waitFor();
    await until("the cost", async () => /tokens/.test(await page.locator("text=stands in tools/list").textContent()));
    await close(page);
  });

  await scenario("S5", "the history shows the passes, and what changed since", async () => {
    const t = await p.tool(spec("aging"));
    await test(p, t);
    await p.api("PUT", "/api/tools/" + t.id, { ...t.spec, code: t.spec.code.replace("doubling", "making twice of") }, { "If-Match": "*" });
    await test(p, t);
    await p.stop();
    await p.start();
    const page = await open(p, t);
    await id(page, "pane-history").click();
    await until("two passes", async () => (await id(page, "history-pass").count()) === 2);
    await id(page, "history-compare").click();
    await id(page, "diff-code").click();
    await until("the change", async () => /making twice of/.test(await page.locator(".diff").first().textContent()));
    await shot(page, "studio-history");
    await close(page);
  });

  await scenario("S6", "a tool is given away as a Go program and as what a client is told", async () => {
    const t = await p.tool(spec("travelling", { staticVariables: [{ key: "${SCENARIO_KEY}" }] }));
    const page = await open(p, t);
    await id(page, "tool-more").click();
    await id(page, "tool-share").click();
    await id(page, "share-go-code").waitFor();
    const program = await id(page, "share-go-code").textContent();
    check(program.includes("sandbox.Main(") && program.includes('"travelling"') && !program.includes("value-of-the-key"), program.slice(0, 300));
    await id(page, "share-go-copy").click();
    await same(() => page.evaluate(() => navigator.clipboard.readText()), program, "the clipboard");
    await shot(page, "studio-share");
    await id(page, "share-client").first().click();
    await id(page, "share-client-text").waitFor();
    await until("the endpoint", async () => (await id(page, "share-client-text").textContent()).includes("/mcp"));
    await close(page);
  });

  await scenario("S7", "parameters are made of a schema and of the code, and moved by keys", async () => {
    const t = await p.tool(spec("shaped", { params: [], "x-tests": [], code: "const list = items.map((x) => x * 2);\nif (city.trim() === '') throw new Error('city');\nreturn { list, city };\n" }));
    const page = await open(p, t);
    await id(page, "form-params").click();
    await id(page, "param-code").click();
    await id(page, "generate-param", '[data-id="items"]').waitFor();
    await id(page, "generate-take").click();
    await until("both are there", async () => (await id(page, "param").count()) === 2);
    await same(() => id(page, "param-name").first().inputValue(), "items", "the first");
    await same(() => id(page, "param-type").first().inputValue(), "ARRAY", "its type");
    await id(page, "param-schema").click();
    await id(page, "generate-schema").fill(JSON.stringify({ type: "object", required: ["limit"], properties: { limit: { type: "integer", description: "How many.", default: 5, minimum: 1 } } }));
    await id(page, "generate-lost").waitFor();
    await shot(page, "studio-generate");
    await id(page, "generate-take").click();
    await until("three", async () => (await id(page, "param").count()) === 3);
    await id(page, "param-grip").nth(2).focus();
    await page.keyboard.press("ArrowUp");
    await until("it moved", async () => (await id(page, "param-name").nth(1).inputValue()) === "limit");
    await until("the focus goes along", () => id(page, "param-grip").nth(1).evaluate((e) => e === document.activeElement));
    await id(page, "tool-save").click();
    await until("it is stored", async () => (await p.api("GET", "/api/tools/" + t.id)).data.spec.params?.map((x) => x.name).join() === "items,limit,city");
    await shot(page, "studio-params");
    await close(page);
  });

  await scenario("S8", "an update that reaches nothing is tested and published in one step", async () => {
    const t = await p.live(spec("updating"));
    const client = await new Client(p.url).hello();
    const page = await open(p, t);
    await code(page, "return { twice: n + n };\n");
    await id(page, "tool-quick").click();
    await until("it is live", async () => (await id(page, "tool-state").getAttribute("data-state")) === "live");
    check(JSON.stringify(await client.call("updating", { n: 6 })).includes("12"), "it runs");
    await page.reload();
    await until("after a reload", async () => (await id(page, "tool-state").getAttribute("data-state")) === "live");
    await close(page);
  });

  await scenario("S9", "publishing several stops at the first without a pass, and says which", async () => {
    for (const name of ["bulkA", "bulkC"]) await test(p, await p.tool(spec(name)));
    await p.tool(spec("bulkB"));
    const page = await p.page("/tools?q=bulk&sort=name");
    await until("three", async () => (await id(page, "tool-row").count()) === 3);
    for (const box of await id(page, "tool-choose").all()) await box.check();
    await id(page, "bulk-publish").click();
    await id(page, "bulk-stopped").waitFor();
    await until("it says which", async () => /bulkB/.test(await id(page, "bulk-stopped").textContent()));
    const states = async () => Object.fromEntries((await p.api("GET", "/api/tools?q=bulk")).data.items.map((t) => [t.name, t.live]));
    await same(() => states(), { bulkA: true, bulkB: false, bulkC: false }, "live");
    await shot(page, "tools-bulk");
    await id(page, "tools-retest").click();
    await id(page, "tools-tested").waitFor();
    await until("all are tested", async () => /Tested 3: 3 passed/.test(await id(page, "tools-tested").textContent()));
    await page.reload();
    await until("bulkB passed", async () => (await id(page, "tool-row").locator('[data-state="passed"]').count()) === 2);
    await close(page);
  });

  await scenario("S10", "the list goes by keys: j, k, Enter, n", async () => {
    const page = await p.page("/tools?source=bundled&sort=name");
    await id(page, "tool-open").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const at = () => page.evaluate(() => document.activeElement?.textContent);
    await until("the second", async () => (await at()) === (await id(page, "tool-open").nth(1).textContent()));
    await page.keyboard.press("k");
    await until("the first", async () => (await at()) === (await id(page, "tool-open").first().textContent()));
    await page.keyboard.press("Enter");
    await id(page, "tool-name").waitFor();
    await page.goto(p.url + "/tools");
    await id(page, "tool-open").first().waitFor();
    await page.keyboard.press("n");
    await until("a new tool", () => page.url().endsWith("/tools/new"));
    await close(page);
  });

  await scenario("S11", "other arguments become test values with one click", async () => {
    const t = await p.tool(spec("keeping"));
    const page = await open(p, t);
    await id(page, "run-own").click();
    await id(page, "run-args").fill('{"n": 33}');
    await id(page, "run-try").click();
    await until("it ran", async () => /passed/.test(await id(page, "run-status").textContent()));
    await id(page, "run-keep").click();
    await id(page, "tool-save").click();
    await until("it is stored", async () => (await p.api("GET", "/api/tools/" + t.id)).data.spec.params[0].testValue === "33");
    for (const tab of ["result", "console", "network", "files", "cases", "limits", "raw"]) await id(page, "run-tab-" + tab).click();
    await close(page);
  });

  await scenario("S12", "the studio is clean for axe, in both themes, and fits a phone", async () => {
    const t = await p.live(spec("pretty"));
    for (const colorScheme of ["light", "dark"])
      for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
        const page = await open(p, t, { bypassCSP: true, colorScheme, viewport });
        const name = colorScheme + "-" + viewport.width;
        await id(page, "form-params").click();
        await shot(page, "editor-" + name);
        equal(await axe(page), [], "the editor, " + name);
        await until("the editor is no wider than the page, " + name, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await id(page, "pane-history").click();
        await id(page, "history-pass").waitFor();
        equal(await axe(page), [], "the history, " + name);
        await page.goto(p.url + "/tools");
        await id(page, "tool-row").first().waitFor();
        await page.locator('[data-testid="tools-list"]').evaluate((e) => (e.scrollTop = 300));
        await page.waitForTimeout(150);
        await shot(page, "list-" + name);
        equal(await axe(page), [], "the list, " + name);
        await until("the list is no wider than the page, " + name, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await close(page);
      }
  });
  await p.stop();
  await approvalsMore();
}

async function approvalsMore() {
  const p = await new Playground("studioapprovals", { args: ["-approval-timeout", "15s"] }).start();
  const asks = (name, more = {}) => spec(name, { humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May {toolName} double? {args}" }, ...more });
  const t = await p.tool(asks("patient"));
  const running = p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
  const done = { yes: false };
  void running.then(() => (done.yes = true));
  const pending = async () => (await p.api("GET", "/api/approvals?state=pending")).data.items;
  while (!done.yes) {
    for (const q of await pending()) await p.api("POST", "/api/approvals/" + q.id, { decision: "approved" });
    await new Promise((r) => setTimeout(r, 50));
  }
  await p.api("POST", `/api/tools/${t.id}/publish`, { receipt: (await running).data.receipt.id, confirm: true });
  const client = await new Client(p.url, "asker").hello();

  await scenario("S13", "who needs more time gets five minutes, once, and the call is held", async () => {
    const page = await p.page("/approvals");
    const call = client.call("patient", { n: 5 });
    await id(page, "approval-card").waitFor();
    await id(page, "approval-details").click();
    await id(page, "approval-similar").waitFor();
    await shot(page, "approval-more");
    await until("the offer", async () => /5 min/.test(await id(page, "approval-more").textContent()));
    await id(page, "approval-more").click();
    await until("it has more time", async () => /^[45]:/.test((await id(page, "approval-left").textContent()).trim()));
    await same(() => id(page, "approval-more").count(), 0, "once");
    await page.waitForTimeout(15_500); // past the first deadline
    await page.reload();
    await until("it still waits", async () => (await id(page, "approval-card").getAttribute("data-state")) === "pending");
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("10"), "it ran");
    await close(page);
  });

  await scenario("S14", "arguments are edited in a form, and what changed is shown, then and later", async () => {
    const page = await p.page("/approvals");
    const call = client.call("patient", { n: 7 });
    await id(page, "approval-details").click();
    await id(page, "approval-edit-open").click();
    await pick(page, "approval-edit-as-form");
    await id(page, "arg-n").fill("70");
    await until("the difference", async () => /- 7\s*\+ 70/.test(await id(page, "approval-changes").textContent()));
    await shot(page, "approval-edit");
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("140"), "the edited value ran");
    await p.stop();
    await p.start();
    await page.goto(p.url + "/approvals/history");
    await id(page, "history-row").first().waitFor();
    await id(page, "history-open").first().click();
    await id(page, "history-edited").first().waitFor();
    await until("the difference in the history", async () => /70/.test(await id(page, "history-edited").first().textContent()));
    await until("the record is whole", async () => (await id(page, "history-chain").getAttribute("data-verified")) === "yes");
    const [file] = await Promise.all([page.waitForEvent("download"), id(page, "history-export").click()]);
    const lines = fs.readFileSync(await file.path(), "utf8").trim().split("\n").map((l) => JSON.parse(l));
    check(lines.some((l) => l.outcome === "approved" && l.decisions[0].arguments?.n === 70), "the export");
    await shot(page, "history");
    await close(page);
  });

  await scenario("S15", "alerts are off until they are wanted", async () => {
    const page = await p.page("/approvals");
    await id(page, "approvals-alerts").click();
    await until("off", async () => !(await id(page, "alert-notify").isChecked()) && !(await id(page, "alert-sound").isChecked()));
    await id(page, "alert-sound").check();
    await page.reload();
    await id(page, "approvals-alerts").click();
    await until("kept", () => id(page, "alert-sound").isChecked());
    await close(page);
  });

  await scenario("S16", "approvals are clean for axe in both themes and fit a phone", async () => {
    for (const colorScheme of ["light", "dark"])
      for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
        const page = await p.page("/approvals", { bypassCSP: true, colorScheme, viewport });
        const call = new Client(p.url, "asker").hello().then((c) => c.call("patient", { n: 1 }));
        await id(page, "approval-card").waitFor();
        await page.waitForTimeout(400);
        const name = colorScheme + "-" + viewport.width;
        await shot(page, "card-" + name);
        equal(await axe(page), [], "the card, " + name);
        await until("no wider than the page, " + name, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        for (const q of await pending()) await p.api("POST", "/api/approvals/" + q.id, { decision: "declined" });
        await call;
        await page.goto(p.url + "/approvals/history");
        await id(page, "history-row").first().waitFor();
        await shot(page, "history-" + name);
        equal(await axe(page), [], "the history, " + name);
        await close(page);
      }
  });
  await scenario("S20", "a run shows what bounds it and how much of it was used, and its trace", async () => {
    const t = await p.tool(spec("measured", { "x-limits": { statements: 5000 } }));
    const page = await open(p, t);
    await id(page, "tool-run").click();
    await id(page, "run-status", '[data-state="passed"]').waitFor();
    await id(page, "run-tab-limits").click();
    for (const limit of ["time", "memory", "statements", "requests", "output", "console"]) await until(limit, async () => / of .*%/.test(await id(page, "run-limit", `[data-id="${limit}"]`).first().textContent()));
    await shot(page, "run-limits");
    await id(page, "run-traces").click();
    await id(page, "trace-view-duration").waitFor();
    await until("its trace", async () => (await id(page, "trace-view").textContent()).includes("measured"));
    await close(page);
  });

  await scenario("S21", "a fork says when its original changed, and shows what separates them", async () => {
    const bundled = (await p.api("GET", "/api/tools?q=uuid&source=bundled")).data.items.find((t) => t.name === "uuid");
    const fork = (await p.api("POST", `/api/tools/${bundled.id}/fork`, {})).data;
    const put = await p.api("PUT", "/api/tools/" + fork.id, { ...fork.spec, description: "Of my own. Use it when asked.", "x-forked-from": { ...fork.spec["x-forked-from"], catalogHash: "sha256:" + "0".repeat(64) } }, { "If-Match": "*" });
    check(put.status === 200, JSON.stringify(put.data).slice(0, 200));
    await p.stop();
    await p.start();
    const page = await open(p, fork);
    await id(page, "fork-banner", '[data-drift="yes"]').waitFor();
    await until("it says so", async () => /original changed since/.test(await id(page, "fork-banner").textContent()));
    await id(page, "fork-diff").click();
    await id(page, "fork-banner").locator('[data-field="description"]').waitFor();
    await shot(page, "fork-drift");
    await close(page);
  });

  await scenario("S22", "a published tool opens in the inspector, over its own endpoint", async () => {
    const t = await p.tool(spec("looked"));
    const run = (await test(p, t)).data;
    check(run.state === "passed", "it passes");
    const page = await p.page(`/tools/${t.id}/review`);
    await id(page, "publish-confirm").click();
    await id(page, "published-inspect").click();
    await until("the inspector", () => page.url().includes("/inspect/tools?item=looked"));
    await id(page, "offered-item", '[data-id="looked"][aria-current="true"]').waitFor();
    await p.stop();
    await p.start();
    await same(async () => (await p.api("GET", "/api/mcp/servers")).data.items.map((s) => s.id), ["this-playground"], "it stays connected as a server");
    await close(page);
  });
  await p.stop();
}
