import fs from "node:fs";
import path from "node:path";
import { axe, check, Client, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

/** What stands behind the questions: who asks, what changed, what was written down. */
export async function approvalsMore() {
  const p = await new Playground("approvalsmore", { args: ["-approval-timeout", "60s"] }).start();
  const close = (page) => page.context().close();
  const asks = (name, more = {}) => spec(name, { humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May {toolName} double? {args}" }, ...more });
  const pending = async () => (await p.api("GET", "/api/approvals?state=pending")).data.items;
  // What a test of a tool asks is answered; what clients ask is not.
  const publish = async (t) => {
    const running = p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
    const done = { yes: false };
    void running.then(() => (done.yes = true));
    while (!done.yes) {
      for (const q of await pending()) if (q.side === "studio") await p.api("POST", "/api/approvals/" + q.id, { decision: "approved", ...(q.confirm ? { confirmName: q.confirm } : {}) });
      await new Promise((r) => setTimeout(r, 50));
    }
    const run = (await running).data;
    check(run.state === "passed", "it passes: " + JSON.stringify(run).slice(0, 300));
    const published = await p.api("POST", `/api/tools/${t.id}/publish`, { receipt: run.receipt.id, confirm: true });
    check(published.status === 200, JSON.stringify(published.data));
    return t;
  };
  const gentle = await publish(await p.tool(asks("gentle")));
  const first = await new Client(p.url, "first").hello();
  const second = await new Client(p.url, "second").hello();

  await scenario("A1", "questions stand by who asks, and the keys through them answer nothing", async () => {
    await p.api("POST", `/api/tools/${(await p.tool(asks("tested"))).id}/runs`, {});
    const calls = [first.call("gentle", { n: 1 }), second.call("gentle", { n: 2 })];
    await until("three wait", async () => (await pending()).length === 3);
    const page = await p.page("/approvals");
    await id(page, "approvals-group").nth(1).waitFor();
    await until("the rows", async () => (await id(page, "approval-row").count()) === 3);
    await page.keyboard.press("j");
    const at = async () => page.evaluate(() => document.activeElement?.getAttribute("data-id"));
    const shown = () => id(page, "approval-card").getAttribute("data-id");
    const seen = new Set();
    for (let n = 0; n < 3; n++) {
      await until("the card is that of the row", async () => (await at()) !== null && (await at()) === (await shown()));
      seen.add(await shown());
      await page.waitForTimeout(700);
      await page.keyboard.press("a");
      await page.keyboard.press("j");
    }
    equal(seen.size, 3, "cards seen");
    equal((await pending()).length, 3, "all still wait");
    const looking = await p.page("/approvals", { bypassCSP: true, colorScheme: "dark" });
    await id(looking, "approval-card").waitFor();
    equal(await axe(looking), [], "axe");
    await close(looking);
    await shot(page, "approvals-groups");
    for (const q of await pending()) await p.api("POST", "/api/approvals/" + q.id, { decision: "declined" });
    await Promise.all(calls);
    await close(page);
  });

  await scenario("A2", "a card of a tool that changed meanwhile locks, and says so", async () => {
    const call = first.call("gentle", { n: 5 });
    await until("it waits", async () => (await pending()).length === 1);
    const page = await p.page("/approvals");
    await until("it is armed", () => id(page, "approval-approve").isEnabled());
    const now = (await p.api("GET", "/api/tools/" + gentle.id)).data;
    const put = await p.api("PUT", "/api/tools/" + gentle.id, { ...now.spec, description: "Doubles a number, in another way. Use it when asked." }, { "If-Match": "*" });
    check(put.status === 200, "stored: " + JSON.stringify(put.data).slice(0, 200));
    await publish(gentle);
    await id(page, "approval-locked").waitFor();
    await until("what it says", async () => /gentle was changed while this waited/.test(await id(page, "approval-locked").textContent()));
    await same(() => id(page, "approval-approve").count(), 0, "no yes is taken");
    await page.reload();
    await id(page, "approval-locked", '[data-changed="tool"]').waitFor();
    await shot(page, "approval-changed");
    await id(page, "approval-decline").click();
    check(/denied|declin/i.test(JSON.stringify(await call)), "the caller is told");
    await close(page);
  });

  await scenario("A3", "a policy for every tool is seen, in grey, where a tool has none", async () => {
    const page = await p.page("/approvals/policies");
    const cell = (p, tool, side) => id(p, "policy-row", `[data-id="${tool}"]`).locator(`[data-side="${side}"]`);
    await cell(page, "*", "server").selectOption("ALWAYS_DENY");
    await until("it is inherited", async () => (await cell(page, "gentle", "server").getAttribute("data-inherited")) === "ALWAYS_DENY");
    await same(() => cell(page, "gentle", "chat").getAttribute("data-inherited"), "none", "not by another side");
    await p.stop();
    await p.start();
    first.session = second.session = undefined; // they ended with the server
    await first.hello();
    const later = await p.page("/approvals/policies");
    await until("after a restart", async () => (await cell(later, "gentle", "server").getAttribute("data-inherited")) === "ALWAYS_DENY");
    check(/isError":true/.test(JSON.stringify(await first.call("gentle", { n: 1 }))), "the call is refused");
    await id(later, "policy-row", '[data-id="gentle"]').locator('[data-testid="policy-why"]').click();
    await id(later, "explain-run").click();
    await until("and why", async () => /refused/.test(await id(later, "explain-effect").textContent()));
    await shot(later, "policies-inherited");
    await later.keyboard.press("Escape");
    await cell(later, "*", "server").selectOption("");
    await until("it is gone", async () => (await p.api("GET", "/api/mcp/approval-policies")).data.items.length === 0);
    await close(page);
    await close(later);
  });

  await scenario("A4", "a record that was rewritten is told as damaged, before and after a restart", async () => {
    const page = await p.page("/approvals/history");
    await id(page, "history-chain", '[data-verified="yes"]').waitFor();
    const folder = path.join(p.home, "_logs", "audit");
    const found = fs.existsSync(folder) ? folder : fs.readdirSync(p.home, { recursive: true }).map((f) => path.join(p.home, String(f))).find((f) => f.endsWith(path.join("_logs", "audit")));
    const newest = path.join(found, fs.readdirSync(found).filter((f) => f.endsWith(".log")).sort().at(-1));
    const was = fs.readFileSync(newest);
    fs.writeFileSync(newest, "nothing of it\n");
    await page.reload();
    await id(page, "history-chain", '[data-verified="no"]').click();
    await until("the program knows what it wrote", async () => /this program has written/.test(await id(page, "history-damage").textContent()));
    await shot(page, "audit-damaged");
    await p.stop();
    await p.start();
    await page.reload();
    await id(page, "history-chain", '[data-verified="no"]').waitFor();
    await p.stop();
    fs.writeFileSync(newest, was);
    await p.start();
    await close(page);
  });
  await p.stop();
}
