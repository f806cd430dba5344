// What somebody reads who is asked: what a call may reach, in words.
import { axe, check, Client, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";
import { remote } from "./servers.mjs";

export async function effects() {
  const p = await new Playground("effects", { args: ["-approval-timeout", "60s"] }).start();
  const close = (page) => page.context().close();
  const pending = async () => (await p.api("GET", "/api/approvals?state=pending")).data.items;
  const question = () => until("somebody is asked", async () => (await pending())[0]);
  // What a test of a tool asks is answered; what clients ask is not.
  const live = async (s) => {
    const t = await p.tool(s);
    const running = p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
    let done = false;
    void running.then(() => (done = true));
    while (!done) {
      for (const q of await pending()) await p.api("POST", "/api/approvals/" + q.id, { decision: "approved" });
      await new Promise((r) => setTimeout(r, 50));
    }
    const run = (await running).data;
    check(run.state === "passed", "it passes: " + JSON.stringify(run).slice(0, 300));
    const published = await p.api("POST", `/api/tools/${t.id}/publish`, { receipt: run.receipt.id, confirm: true });
    check(published.status === 200, JSON.stringify(published.data));
    return t;
  };
  const asks = { humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May {toolName} run? {args}" } };
  const param = (name) => ({ name, description: "A text.", required: true, type: "STRING", testValue: "notes/a.md" });
  const test = [{ name: "one", args: { path: "notes/a.md" }, want: { path: "notes/a.md" } }];

  await scenario("effect", "at L4 the card says what the call may reach, and the second step repeats it", async () => {
    const tool = await live(spec("noteKeeper", { ...asks, description: "Keeps a note. Use it when somebody wants to keep a note.", params: [param("path")], "x-tests": test, code: "return { path };\n", sandboxOverrides: { networkMode: "blocked", fileRead: true, fileWrite: true } }));
    const client = await new Client(p.url, "asker").hello();
    const call = client.call("noteKeeper", { path: "notes/todo.md" });
    const asked = await question();
    check(/^It may read and write any file .+\. It cannot use the network\.$/.test(asked.changes.join(" ")), "the words: " + asked.changes);
    equal(asked.targets, ["path notes/todo.md"], "what the arguments name");
    const words = asked.changes.join(" ");
    // The same words as where its author decides about it.
    const studio = await p.page("/tools/" + tool.id);
    await until("the Studio says so", async () => (await id(studio, "risk-effect").textContent()) === words);
    await close(studio);
    const page = await p.page("/approvals");
    await id(page, "approval-card").waitFor();
    await page.reload();
    await id(page, "approval-card").waitFor();
    equal([asked.action.kind, asked.sentence], ["access", "Read or write notes/todo.md"], "what it does");
    await same(() => id(page, "approval-sentence").textContent(), asked.sentence, "the sentence");
    await same(() => id(page, "approval-effect").textContent(), words, "what it may touch");
    await same(() => id(page, "approval-targets").textContent(), "path notes/todo.md", "what this call names");
    const sure = page.locator('label:has([data-testid="approval-sure"])');
    await same(() => sure.textContent(), "I have read it: Read or write notes/todo.md.", "the second step");
    await until("it is a step of its own", () => id(page, "approval-approve").isDisabled());
    // Edited, the arguments name something else: what is changed stands there, and not what was asked for.
    await id(page, "approval-edit-open").click();
    await id(page, "approval-edit").fill('{"path": "notes/other.md"}');
    await until("what was asked for is not what would run", async () => !(await sure.textContent()).includes("todo.md"));
    await id(page, "approval-edit-open").click();
    const looking = await p.page("/approvals", { bypassCSP: true });
    await id(looking, "approval-card").waitFor();
    for (const scheme of ["light", "dark"]) {
      await looking.emulateMedia({ colorScheme: scheme });
      equal(await axe(looking), [], "axe, " + scheme);
      await shot(looking, "effect-" + scheme);
    }
    await looking.setViewportSize({ width: 360, height: 1500 });
    await shot(looking, "effect-360");
    await until("nothing stands out at the side", () => looking.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(looking);
    await id(page, "approval-sure").check();
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("todo.md"), "it ran");
    // In the history the words outlive the program.
    await p.stop();
    await p.start();
    await same(async () => (await p.api("GET", "/api/approvals/" + asked.id)).data.changes, asked.changes, "the words in the record");
    await close(page);
  });

  await scenario("claims", "of a tool of another server the card says who says what, and that nothing limits it", async () => {
    const far = await remote({ name: "sweep", description: "Sweeps a folder.", inputSchema: { type: "object", properties: { folder: { type: "string" } } }, annotations: { destructiveHint: true, openWorldHint: true } });
    await p.api("POST", "/api/mcp/servers", { id: "far", transport: "http", connection: { url: far.url } });
    await p.api("POST", "/api/mcp/servers/far/connect", {});
    const call = p.api("POST", "/api/mcp/servers/far/inspect/tools/call", { name: "sweep", arguments: { folder: "/srv/old" } });
    const asked = await question();
    const words = "The server says that it may delete or overwrite things. The server says that it reaches other systems. localpass cannot restrict this tool.";
    const page = await p.page("/approvals/" + asked.id);
    await until("the words", async () => (await id(page, "approval-effect").textContent()) === words);
    await same(() => id(page, "approval-sentence").textContent(), "Call sweep of the server far with folder: /srv/old; the server says that it may delete or overwrite things", "the sentence");
    await same(() => id(page, "approval-targets").textContent(), "folder /srv/old", "what this call names");
    await until("whose tool it is", async () => (await page.locator('[data-testid="approval-card"]').textContent()).includes("of the server far"));
    await shot(page, "effect-remote");
    await id(page, "approval-decline").click();
    await call;
    await close(page);
    far.close();
  });

  await p.stop();
}
