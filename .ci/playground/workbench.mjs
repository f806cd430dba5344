import { check, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

const close = (page) => page.context().close();
const open = async (p, tool, more) => {
  const page = await p.page("/tools/" + tool.id, more);
  await page.locator('[data-testid="tool-code-rich"] .cm-content').waitFor();
  await id(page, "risk-chip").waitFor();
  return page;
};
const primary = (page) => page.locator("main .btn.primary:visible").evaluateAll((all) => all.map((b) => b.dataset.testid));
const focused = (page) => page.evaluate(() => document.activeElement?.dataset.testid ?? "");

/** tabsTo counts how often Tab is pressed from the top of the page until a control has the focus; the skip link is used. */
async function tabsTo(page, name) {
  await page.keyboard.press("Tab");
  equal(await focused(page), "skip", "the first stop");
  await page.keyboard.press("Enter");
  for (let n = 2; n <= 40; n++) {
    await page.keyboard.press("Tab");
    if ((await focused(page)) === name) return n;
  }
  return 99;
}

/** The studio as a place to work: what is where, and which step comes next. */
export async function workbench() {
  const p = await new Playground("workbench").start();

  await scenario("W1", "code takes three fifths, and the panel, the dock and the steps are in sight", async () => {
    const page = await open(p, await p.tool(spec("laidOut")));
    const box = async (selector) => page.locator(selector).first().boundingBox();
    const [bench, pane, side, dock, steps] = await Promise.all([".benchbody", ".pane", ".side", ".dock", ".stepper"].map(box));
    const share = pane.width / bench.width;
    check(share > 0.57 && share < 0.63, "the code takes " + share);
    for (const [name, b] of Object.entries({ pane, side, dock, steps })) check(b.y >= 0 && b.y + b.height <= 900, name + " is in sight: " + JSON.stringify(b));
    check(dock.y > pane.y && Math.abs(dock.width - pane.width) < 2, "the dock is below the code");
    await shot(page, "workbench");
    await close(page);
  });

  await scenario("W2", "one step after the other, each with the only primary button", async () => {
    const page = await open(p, await p.tool(spec("stepping")));
    const at = (step) => until("the step " + step, async () => (await id(page, "stepper").getAttribute("data-step")) === step);
    await at("draft");
    await same(() => primary(page), ["tool-run"], "primary");
    await id(page, "tool-run").click();
    await at("tested");
    await same(() => primary(page), ["tool-publish"], "primary");
    await id(page, "tool-publish").click();
    await id(page, "publish-confirm").click();
    await id(page, "published-editor").click();
    await at("published");
    await same(() => primary(page), ["tool-chat"], "primary");
    await id(page, "tool-description").fill("Doubles a number, with a new description. Use it when asked.");
    await at("draft");
    await same(() => primary(page), ["tool-run"], "primary");
    await close(page);
  });

  await scenario("W3", "what decides the level is marked, and not what comes first", async () => {
    const page = await open(p, await p.tool(spec("writing", { sandboxOverrides: { networkMode: "strict", fileWrite: true } })));
    await same(() => id(page, "risk-chip").getAttribute("data-level"), "L4", "level");
    check(/change files/.test(await id(page, "risk-decides").textContent()), await id(page, "risk-decides").textContent());
    await until("what is left without it", async () => /Without writing files: L3/.test(await id(page, "risk-without").textContent()));
    await close(page);
  });

  await scenario("W4", "a main action is at most fifteen Tabs away", async () => {
    const t = await p.tool(spec("tabbing"));
    for (const [at, names] of [["/tools/" + t.id, ["tool-save", "tool-run", "tool-more", "pane-code"]], ["/tools", ["tools-new", "tools-search"]]]) {
      for (const name of names) {
        const page = await p.page(at);
        await id(page, name).waitFor();
        const n = await tabsTo(page, name);
        console.log(`# ${name}: ${n} Tabs`);
        check(n <= 15, name + " takes " + n);
        await close(page);
      }
    }
  });

  await scenario("W5", "on a phone the parts stand below each other, and a tool is tested", async () => {
    const page = await open(p, await p.tool(spec("small")), { viewport: { width: 390, height: 844 } });
    const top = async (selector) => (await page.locator(selector).first().boundingBox()).y;
    check((await top(".stepper")) < (await top(".pane")) && (await top(".pane")) < (await top(".dock")) && (await top(".dock")) < (await top(".side")), "the order");
    await id(page, "tool-run").click();
    await id(page, "pass-stamp").waitFor();
    await until("no wider than the page", () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await shot(page, "workbench-phone");
    await close(page);
  });

  await scenario("W6", "a new tool opens without a mistake, and says what comes first", async () => {
    const page = await p.page("/tools/new");
    await id(page, "risk-chip").waitFor();
    await same(() => id(page, "tool-run-reason").textContent(), "Give the tool a name first.", "the reason");
    await same(() => id(page, "diagnostic").count(), 0, "findings");
    await close(page);
  });
  await p.stop();
}
