import http from "node:http";
import { axe, check, code, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

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
  await scenario("W7", "a finding is settled by its button, before anything ran", async () => {
    const t = await p.tool(spec("fixable", { "x-tests": [], tags: ["a", "b", "c"], code: "const r = await fetch('https://api.example.com/x');\nreturn { twice: n * r.status };\n" }));
    const page = await open(p, t);
    let runs = 0;
    page.on("request", (r) => r.method() === "POST" && /\/runs/.test(r.url()) && runs++);
    await id(page, "diagnostic").first().waitFor();
    await shot(page, "workbench-findings");
    await until("the test waits", () => id(page, "tool-run").isDisabled());
    await id(page, "finding-fix", '[data-id="Keep the first two tags"]').click();
    await id(page, "finding-fix", '[data-id="Allow api.example.com"]').click();
    await until("the level follows", async () => (await id(page, "risk-chip").getAttribute("data-level")) === "L3");
    await until("the test can run", () => id(page, "tool-run").isEnabled());
    await id(page, "finding-fix", '[data-id="Add a test case"]').click();
    await until("nothing is left", async () => (await id(page, "diagnostic").count()) === 0);
    equal(runs, 0, "runs");
    await id(page, "tool-save").click();
    await until("it is stored", async () => (await p.api("GET", "/api/tools/" + t.id)).data.spec["x-tests"]?.length === 1);
    await close(page);
  });

  await scenario("W8", "a missing test value is filled in by its button, also from its description", async () => {
    const page = await open(p, await p.tool(spec("valueless", { params: [{ name: "n", description: "The number, such as 2.", required: true, type: "NUMBER" }] })));
    await until("the test waits for it", async () => /test value is missing/.test(await id(page, "tool-run-reason").textContent()));
    await id(page, "finding-fix", '[data-id="Test with 1"]').click();
    await until("it can run", () => id(page, "tool-run").isEnabled());
    await id(page, "tool-run").click();
    await id(page, "pass-stamp").waitFor();
    await close(page);
  });

  await scenario("W9", "files can be written without being read, by one choice in the form", async () => {
    const t = await p.tool(spec("writer", { code: "safety.fs.writeText('out.txt', String(n));\nreturn { twice: n * 2 };\n" }));
    const page = await open(p, t);
    await id(page, "form-sandbox").click();
    await page.locator('label:has([data-testid="files-write"])').click();
    await until("no finding about reading", async () => (await id(page, "diagnostic").count()) === 0);
    await id(page, "tool-save").click();
    await until("it is stored", async () => {
      const o = (await p.api("GET", "/api/tools/" + t.id)).data.spec.sandboxOverrides;
      return o.fileWrite === true && !o.fileRead;
    });
    await close(page);
  });

  await scenario("W10", "what the test meets in place of network and files is made in the form", async () => {
    const t = await p.tool(spec("fixed", { sandboxOverrides: { networkMode: "allowlist", hostsAllow: ["api.example.com"], fileRead: true }, code: "const r = await fetch('https://api.example.com/rate');\nreturn { twice: n * (await r.json()).rate, note: safety.fs.readText('note.txt') };\n", "x-tests": [{ name: "twice", args: { n: 2 }, want: { twice: 4, note: "hello" } }] }));
    const page = await open(p, t);
    await id(page, "run-tab-cases").click();
    await id(page, "fixtures-fetch").check();
    await id(page, "fixture-add").click();
    await id(page, "fixture-url").fill("https://api.example.com/rate");
    await id(page, "fixture-body").fill('{"rate": 2}');
    await id(page, "fixtures-files").check();
    await id(page, "fixture-file-add").click();
    await id(page, "fixture-path").fill("note.txt");
    await id(page, "fixture-text").fill("hello");
    equal(await axe(page), [], "axe");
    await shot(page, "workbench-fixtures");
    await id(page, "tool-run").click();
    await id(page, "pass-stamp").waitFor();
    const stored = (await p.api("GET", "/api/tools/" + t.id)).data.spec["x-fixtures"];
    equal(stored.files, { "note.txt": "hello" }, "files");
    await close(page);
  });

  await scenario("W11", "a version that passed is put back, and holds its pass again", async () => {
    const t = await p.tool(spec("restored"));
    const first = (await p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {})).data.receipt.contentHash;
    await p.api("PUT", "/api/tools/" + t.id, { ...t.spec, code: t.spec.code.replace("doubling", "making twice of") }, { "If-Match": "*" });
    await p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
    const page = await open(p, t);
    await id(page, "pane-history").click();
    await id(page, "history-restore").click();
    await until("it is on the page, not stored", async () => (await id(page, "stepper").getAttribute("data-step")) === "draft");
    check((await p.api("GET", "/api/tools/" + t.id)).data.contentHash !== first, "not stored yet");
    await id(page, "tool-save").click();
    await until("stored, with its pass", async () => (await id(page, "stepper").getAttribute("data-step")) === "tested");
    await same(async () => (await p.api("GET", "/api/tools/" + t.id)).data.contentHash, first, "the version");
    await close(page);
  });

  await scenario("W12", "the publish review says in one line what the tool may do unasked", async () => {
    for (const [name, more, want] of [
      ["unaskedWrite", { sandboxOverrides: { networkMode: "blocked", fileWrite: true }, code: "safety.fs.writeText('a.txt', 'x');\nreturn { twice: n * 2 };\n" }, /Runs without asking\. It may write files in the workspace\./],
      ["unaskedNothing", {}, /Runs without asking\. It reaches no file and no host\./],
    ]) {
      const t = await p.tool(spec(name, more));
      await p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {});
      const page = await p.page(`/tools/${t.id}/review`);
      await id(page, "review-unasked").waitFor();
      check(want.test(await id(page, "review-unasked").textContent()), await id(page, "review-unasked").textContent());
      await same(() => page.locator('[data-testid="diff-row"][data-direction="changed"] td:last-child').allTextContents().then((all) => all.every((x) => x === "new")), true, "rows of what is new");
      await shot(page, "review-" + name);
      await close(page);
    }
  });
  await p.stop();
  await recorder();
}

/** A site on this machine, which the operator lets tools reach. */
async function recorder() {
  let asked = 0;
  const site = http.createServer((req, res) => {
    asked++;
    res.setHeader("Content-Type", "application/json");
    res.end(JSON.stringify({ rate: 2, key: new URL(req.url, "http://x").searchParams.get("key") }));
  });
  await new Promise((r) => site.listen(0, "127.0.0.1", r));
  const host = "127.0.0.1:" + site.address().port;
  const p = await new Playground("recorder", { args: ["-allow-host", host], env: { RATES_KEY: "recorded-secret-5519" } }).start();
  await scenario("W13", "answers of a live run become those of the test, with secrets masked", async () => {
    const t = await p.tool(spec("rates", { staticVariables: [{ key: "${RATES_KEY}" }], sandboxOverrides: { networkMode: "allowlist", hostsAllow: [host] }, code: `const r = await fetch('http://${host}/rate?key=' + key);\nreturn { twice: n * (await r.json()).rate };\n` }));
    const page = await open(p, t);
    await id(page, "run-tab-cases").click();
    await id(page, "fixtures-record").click();
    await until("it says where to", async () => (await id(page, "record-dialog").textContent()).includes(host));
    equal(asked, 0, "requests before");
    await id(page, "record-run").click();
    await id(page, "recorded").waitFor();
    check(/Recorded 1 answer/.test(await id(page, "recorded").textContent()), await id(page, "recorded").textContent());
    const after = asked;
    check(after >= 1, "real requests");
    await id(page, "recorded-take").click();
    await id(page, "tool-run").click();
    await id(page, "pass-stamp").waitFor();
    equal(asked, after, "requests of the test");
    const text = JSON.stringify((await p.api("GET", "/api/tools/" + t.id)).data.spec);
    check(text.includes("/rate") && !text.includes("recorded-secret-5519"), "the fixtures: " + text.slice(0, 400));
    await close(page);
  });
  await p.stop();
  site.close();
}
