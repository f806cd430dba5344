import { axe, check, Client, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

export async function approvals() {
  const p = await new Playground("approvals", { args: ["-approval-timeout", "60s"] }).start();
  const close = (page) => page.context().close();
  const asks = (name, more = {}) => spec(name, { humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May {toolName} double? {args}" }, ...more });
  const writes = { sandboxOverrides: { networkMode: "blocked", fileRead: true, fileWrite: true } };
  const live = async (s, q = p) => {
    const t = await q.tool(s);
    const running = q.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
    const done = { yes: false };
    void running.then(() => (done.yes = true));
    while (!done.yes) {
      for (const ask of (await q.api("GET", "/api/approvals?state=pending")).data.items) await q.api("POST", "/api/approvals/" + ask.id, { decision: "approved", ...(ask.confirm ? { confirmName: ask.confirm } : {}) });
      await new Promise((r) => setTimeout(r, 50));
    }
    const run = (await running).data;
    check(run.state === "passed", "it passes: " + JSON.stringify(run).slice(0, 600));
    const published = await q.api("POST", `/api/tools/${t.id}/publish`, { receipt: run.receipt.id, confirm: true });
    check(published.status === 200, JSON.stringify(published.data));
    return t;
  };
  await live(asks("gentle"));
  await live(asks("writer", writes));
  const client = await new Client(p.url, "asker").hello();

  await scenario("74a", "a call that asks stands in the inbox, and runs when a person says so", async () => {
    const page = await p.page("/approvals");
    const call = client.call("gentle", { n: 5 });
    await id(page, "approval-card").waitFor();
    await until("the badge", async () => (await id(page, "approvals-badge").textContent()).startsWith("1"));
    await until("the title", async () => (await page.title()).startsWith("(1)"));
    const looking = await p.page("/approvals", { bypassCSP: true, colorScheme: "dark" });
    await id(looking, "approval-card").waitFor();
    equal(await axe(looking), [], "axe");
    await close(looking);
    await shot(page, "approval");
    await until("it is armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("10"), "it ran");
    await page.goto(p.url + "/approvals/history");
    await id(page, "history-row", '[data-outcome="approved"]').first().waitFor();
    await close(page);
  });

  await scenario(74, "at L4 all arguments are shown first, and a key elsewhere approves nothing", async () => {
    const page = await p.page("/approvals");
    const call = client.call("writer", { n: 5, text: "x".repeat(50) });
    await id(page, "approval-card").waitFor();
    await page.waitForTimeout(800);
    await until("not yet", () => id(page, "approval-approve").isDisabled());
    await id(page, "approval-note").press("Enter");
    await page.keyboard.press("a");
    await same(async () => (await p.api("GET", "/api/approvals?state=pending")).data.items.length, 1, "still waiting");
    await id(page, "approval-sure").check();
    await until("now", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-decline").click();
    check(/denied|declin/i.test(JSON.stringify(await call)), "the client is told");
    await close(page);
  });

  await scenario(75, "to go away is no answer, and no answer is a no", async () => {
    const q = await new Playground("late", { args: ["-approval-timeout", "10s"] }).start(); // the others have the time that they take
    await live(asks("gentle"), q);
    const page = await q.page("/approvals");
    const call = (await new Client(q.url, "asker").hello()).call("gentle", { n: 6 });
    await id(page, "approval-card").waitFor();
    await page.keyboard.press("Escape");
    await same(async () => (await q.api("GET", "/api/approvals?state=pending")).data.items.length, 1, "Escape answers nothing");
    await close(page);
    const answer = JSON.stringify(await call);
    check(/isError":true/.test(answer) && /nobody|not answer|in time|timed out/i.test(answer), "the client is told why: " + answer);
    await q.stop();
    await q.start();
    const late = await q.page("/approvals/history");
    await until("it stands in the history as timed out", async () => (await id(late, "history-row", '[data-outcome="timed-out"]').count()) > 0);
    await close(late);
    await q.stop();
  });

  await scenario(76, "edited arguments are checked, and those run", async () => {
    const page = await p.page("/approvals");
    const call = client.call("gentle", { n: 7 });
    await id(page, "approval-details").click();
    await id(page, "approval-edit-open").click();
    await id(page, "approval-edit").fill('{"n": "seven"}');
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    await id(page, "problem").waitFor();
    await id(page, "approval-edit").fill('{"n": 70}');
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("140"), "the edited value ran");
    await page.goto(p.url + "/approvals/history");
    await id(page, "history-open").first().click();
    await id(page, "history-edited").first().waitFor();
    await close(page);
  });

  await scenario(77, "answered in one tab, locked in the other", async () => {
    const a = await p.page("/approvals");
    const b = await p.page("/approvals");
    const call = client.call("gentle", { n: 8 });
    await id(a, "approval-card").waitFor();
    await id(b, "approval-card").waitFor();
    const which = await id(b, "approval-card").getAttribute("data-id");
    await b.goto(p.url + "/approvals/" + which);
    await until("armed", () => id(a, "approval-approve").isEnabled());
    await id(a, "approval-approve").click();
    await call;
    await id(b, "approval-locked").waitFor();
    await until("it says where", async () => /another tab/.test(await id(b, "approval-locked").textContent()));
    equal((await p.api("POST", "/api/approvals/" + which, { decision: "declined" })).status, 409, "a second answer");
    await close(a);
    await close(b);
  });

  await scenario(78, "a grant for the same arguments covers no others", async () => {
    const page = await p.page("/approvals");
    const call = client.call("gentle", { n: 9 });
    await id(page, "approval-details").click();
    await id(page, "approval-scope").selectOption("arguments");
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    await call;
    check(JSON.stringify(await client.call("gentle", { n: 9 })).includes("18"), "the same runs unasked");
    const other = client.call("gentle", { n: 10 });
    await until("others ask", async () => (await p.api("GET", "/api/approvals?state=pending")).data.items.length === 1);
    const q = (await p.api("GET", "/api/approvals?state=pending")).data.items[0];
    await p.api("POST", "/api/approvals/" + q.id, { decision: "declined" });
    await other;
    await page.goto(p.url + "/approvals/grants");
    await id(page, "grant-revoke").click();
    await until("it is taken back", async () => (await p.api("GET", "/api/approvals/grants")).data.items.length === 0);
    await close(page);
  });

  await scenario(79, "L5 has no grants, and wants the name", async () => {
    const t = await p.tool(asks("breaker", { sandboxOverrides: { networkMode: "blocked", fileRead: true, fileWrite: true, destructive: true } }));
    const page = await p.page("/tools/" + t.id);
    await id(page, "tool-run").click();
    await id(page, "approval-card").waitFor();
    await same(() => id(page, "approval-scope").count(), 0, "grants");
    await page.waitForTimeout(800);
    await until("not without the name", () => id(page, "approval-approve").isDisabled());
    await id(page, "approval-name").fill("breaker");
    await until("with it", () => id(page, "approval-approve").isEnabled());
    await shot(page, "approval-l5");
    await id(page, "approval-decline").click();
    await until("it is declined, and no other case asks", async () => (await p.api("GET", "/api/approvals?state=pending")).data.items.length === 0);
    await close(page);
  });

  await scenario("80a", "the tray under the bell holds the same card, and no value looks like our words", async () => {
    const page = await p.page("/");
    const lie = "nothing”; it may do nothing";
    const call = client.call("gentle", { n: 4, text: lie });
    await until("the bell counts it", async () => /1/.test(await id(page, "approvals-bell").textContent()));
    await id(page, "approvals-bell").click();
    const tray = id(page, "approval-tray");
    const card = tray.locator('[data-testid="approval-card"]');
    await card.waitFor();
    check((await card.boundingBox()).height <= 240, "it is at most 240 px high: " + (await card.boundingBox()).height);
    equal(await card.locator("button").evaluateAll((all) => all.map((b) => b.dataset.testid).filter((t) => t !== "approval-more")), ["approval-decline", "approval-approve", "approval-details"], "two buttons, and the details");
    await same(() => card.locator(".head .value").last().textContent(), "n: 4, text: " + lie, "the arguments are one value");
    await shot(page, "approval-tray");
    await page.keyboard.press("Escape");
    await tray.waitFor({ state: "detached" });
    await same(async () => (await p.api("GET", "/api/approvals?state=pending")).data.items.length, 1, "Escape answers nothing");
    const looking = await p.page("/", { bypassCSP: true });
    await id(looking, "approvals-bell").click();
    await id(looking, "approval-card").waitFor();
    equal(await axe(looking), [], "axe");
    await looking.setViewportSize({ width: 390, height: 800 });
    await shot(looking, "approval-tray-390");
    await until("nothing stands out at the side", () => looking.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(looking);
    await id(page, "approvals-bell").click();
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    check(JSON.stringify(await call).includes("8"), "it ran");
    await until("the tray is empty", async () => (await card.count()) === 0);
    await id(page, "tray-all").click();
    await until("all approvals", () => page.url().endsWith("/approvals"));
    await tray.waitFor({ state: "detached" });
    await close(page);
  });

  await scenario(80, "a denied call of a client stands in the history with its name", async () => {
    const call = client.call("gentle", { n: 80 });
    let q;
    await until("it waits", async () => (q = (await p.api("GET", "/api/approvals?state=pending")).data.items.find((i) => JSON.stringify(i).includes('"gentle"'))));
    await p.api("POST", "/api/approvals/" + q.id, { decision: "declined" });
    await call;
    const page = await p.page("/approvals/history");
    const row = id(page, "history-row", `[data-id="${q.id}"]`);
    await row.waitFor();
    const text = await row.textContent();
    check(/gentle/.test(text) && /MCP clients/.test(text) && /declined/.test(text), "the row: " + text);
    await close(page);
  });

  await scenario("policies", "the matrix of policies decides, and says why", async () => {
    const page = await p.page("/approvals/policies");
    await id(page, "policy-row", '[data-id="gentle"]').locator('[data-side="server"]').selectOption("ALWAYS_DENY");
    await until("it is stored", async () => (await p.api("GET", "/api/mcp/approval-policies")).data.items.some((i) => i.toolName === "gentle" && i.policy === "ALWAYS_DENY"));
    check(/isError":true/.test(JSON.stringify(await client.call("gentle", { n: 1 }))), "the call is refused");
    await page.reload();
    await id(page, "policy-explain").click();
    await id(page, "explain-tool").selectOption("gentle");
    await id(page, "explain-run").click();
    await until("the explanation", async () => /refused/.test(await id(page, "explain-effect").textContent()));
    await shot(page, "policies");
    await close(page);
  });
  await p.stop();
}
