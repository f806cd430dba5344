import { axe, check, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

const editor = '[data-testid="tool-code-rich"] .cm-content';
const open = async (p, tool, more) => {
  const page = await p.page("/tools/" + tool.id, more);
  await id(page, "tool-name").waitFor();
  await page.locator(editor).waitFor();
  return page;
};
const close = (page) => page.context().close();
/** run runs the tool's test and waits for its end. */
const run = async (page) => {
  await id(page, "tool-run").click();
  await until("the run ends", async () => /passed|failed/.test((await id(page, "run-status").getAttribute("data-state")) ?? ""));
};
/** caret is the text of the line with the caret, when the editor has the focus. */
const caret = (page) => page.evaluate(() => {
  const host = document.activeElement;
  return host?.getAttribute("data-testid") === "tool-code-rich" ? (host.shadowRoot.querySelector(".cm-activeLine")?.textContent ?? null) : null;
});

const talker = `interface Row {
  n: number
}
enum Mode { Quiet, Loud }

function tell(row: Row): void {
  console.warn('told', row.n)
}
console.log('begin')
for (let i = 0; i < 3; i++) tell({ n: i })
console.error('mode', Mode.Loud)
return { twice: n * 2 }
`;

const exchange = (path, body, more = {}) => ({ request: { method: "GET", url: "https://api.example.com" + path }, response: { status: 200, headers: { "Content-Type": ["application/json"] }, body }, ...more });

/** reaching is a tool whose test is answered from recorded exchanges, and asks for more than it may. */
const reaching = (name) => spec(name, {
  sandboxOverrides: { networkMode: "strict", fileRead: true, fileWrite: true },
  "x-fixtures": { fetch: [exchange("/rates", '{"rate":2}')], files: { "notes.txt": "a note" } },
  "x-tests": [],
  code: `const tried = async (f) => { try { return await f() } catch (e) { return e.reason } };
const r = await fetch('https://api.example.com/rates');
const metadata = await tried(() => fetch('http://169.254.169.254/latest'));
const missing = await tried(() => fetch('https://api.example.com/other'));
const notes = safety.fs.readText('notes.txt');
safety.fs.writeText('out.txt', notes + ' and more');
const up = await tried(() => safety.fs.readText('../../etc/passwd'));
const gone = await tried(() => safety.fs.delete('notes.txt'));
return { twice: n * 2, metadata, missing, up, gone, there: safety.fs.exists('/etc/hosts') };
`,
});

/** What a run shows of itself: console, network, files and limits. */
export async function studioRun() {
  const p = await new Playground("studiorun").start();

  await scenario("R1", "a line of the console leads to the line of the code that printed it", async () => {
    const t = await p.tool(spec("talker", { code: talker, "x-language": "typescript" }));
    const page = await open(p, t);
    await page.reload();
    await page.locator(editor).waitFor();
    await run(page);
    await id(page, "run-tab-console").click();
    await id(page, "console-row").first().waitFor();
    const lines = await page.locator('[data-testid="console-line"]').evaluateAll((all) => all.map((b) => Number(b.dataset.line)));
    equal(lines.slice(0, 5), [9, 7, 7, 7, 11], "the lines, of the code as it was written");
    await until("the time", async () => (await id(page, "console-row").first().textContent()).match(/^\d+ ms/));
    await shot(page, "run-console");

    await id(page, "console-line", '[data-line="11"]').first().click();
    await until("the caret is there", async () => (await caret(page)) === "console.error('mode', Mode.Loud)");
    await page.keyboard.press("ArrowUp");
    await id(page, "console-line", '[data-line="11"]').first().click();
    await until("and again, after it went elsewhere", async () => (await caret(page)) === "console.error('mode', Mode.Loud)");

    await id(page, "run-console").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    await same(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Go to line 7", "arrow keys go from link to link");
    await page.keyboard.press("Enter");
    await until("the caret follows", async () => (await caret(page)) === "  console.warn('told', row.n)");
    await page.keyboard.press("Home");
    await page.keyboard.type("// ");
    await id(page, "console-moved").waitFor();
    await close(page);
  });

  await scenario("R2", "a failed run shows the line and leaves the focus where it is; its button goes there", async () => {
    const t = await p.tool(spec("thrower", { "x-tests": [], code: "const a = 1;\n\nthrow new Error('no ' + a + n);\n" }));
    const page = await open(p, t);
    await run(page);
    await id(page, "fix-line").waitFor();
    await same(() => caret(page), null, "the focus is not taken");
    await id(page, "fix-line").click();
    await until("the caret is there", async () => (await caret(page)) === "throw new Error('no ' + a + n);");
    await close(page);
  });

  await scenario("R3", "the console is sieved by text and by level, and full to its limit", async () => {
    const t = await p.tool(spec("chatty", { "x-tests": [], code: "for (let i = 0; i < 1200; i++) (i % 100 === 7 ? console.warn : console.log)('row', i);\nreturn { twice: n * 2 };\n" }));
    const page = await open(p, t);
    await run(page);
    await id(page, "run-tab-console").click();
    await id(page, "console-row").first().waitFor();
    await same(() => id(page, "console-row").count(), 1000, "rows");
    await id(page, "console-cut").waitFor();
    await id(page, "console-level").selectOption("warn");
    await until("the warnings alone", async () => (await id(page, "console-row").count()) === 10);
    await same(() => page.locator('[data-testid="console-row"]:not([data-level="warn"])').count(), 0, "others");
    await id(page, "console-filter").fill("row 907");
    await until("one of them", async () => (await id(page, "console-row").count()) === 1);
    await id(page, "run-tab-result").click();
    await id(page, "run-tab-console").click();
    await same(() => id(page, "console-filter").inputValue(), "row 907", "it stays when another tab was looked at");
    await id(page, "console-filter").fill("nothing of the kind");
    await until("it says so", async () => /No line matches .*nothing of the kind.* at the level warn/.test(await id(page, "console-none").textContent()));
    await id(page, "console-clear").click();
    await until("all again", async () => (await id(page, "console-row").count()) === 1000);
    // One stop for Tab, whatever the number of lines.
    await same(() => page.locator('[data-testid="console-line"][tabindex="0"]').count(), 1, "stops");
    await close(page);
  });

  await scenario("R4", "the network says of each request what came, how long it took, and who decided", async () => {
    const t = await p.tool(reaching("asking"));
    const page = await open(p, t);
    await page.reload();
    await page.locator(editor).waitFor();
    await run(page);
    await id(page, "run-tab-network").click();
    await id(page, "run-net-row").first().waitFor();
    await until("the count", async () => /Network \(3\)/.test(await id(page, "run-tab-network").textContent()));
    const row = async (verdict) => (await id(page, "run-net-row", `[data-verdict="${verdict}"]`).first().textContent()).replace(/\s+/g, " ");
    await until(async () => await row("allowed"), async () => /GET https:\/\/api\.example\.com ?status 200 · 10 B · .*ms ?answered from the recorded exchanges/.test(await row("allowed")));
    await until(async () => await row("blocked"), async () => /GET http:\/\/169\.254\.169\.254 ?<?\d+ ms ?blocked by the address check: literal-private-ip/.test(await row("blocked")));
    await until(async () => await row("failed"), async () => /failed in the recorded exchanges: replay-miss/.test(await row("failed")));
    await shot(page, "run-network");
    await p.stop();
    await p.start();
    const again = (await p.api("POST", `/api/tools/${t.id}/runs?wait=1`, {})).data.cases[0].attempts;
    equal(again.filter((a) => a.component === "fetch").map((a) => [a.by, a.reason ?? "", a.durationMs > 0]), [["recorded", "", true], ["address", "literal-private-ip", true], ["recorded", "replay-miss", true]], "through the API, after a restart");
    await close(page);
  });

  await scenario("R5", "the files list what was refused too, with path and reason", async () => {
    const t = await p.tool(reaching("filing"));
    const page = await open(p, t);
    await run(page);
    await id(page, "run-tab-files").click();
    await id(page, "run-file-row").first().waitFor();
    const rows = (await id(page, "run-file-row").allTextContents()).map((r) => r.replace(/\s+/g, " "));
    equal(rows.length, 5, "rows: " + rows.join(" | "));
    check(/^readText notes\.txt ?6 B · .*ms ?allowed by the workspace/.test(rows[0]), rows[0]);
    check(/^writeText out\.txt ?15 B · .*ms ?allowed by the workspace/.test(rows[1]), rows[1]);
    check(/^readText \.\.\/\.\.\/etc\/passwd.*blocked by the workspace: path-escapes-base/.test(rows[2]), rows[2]);
    check(/^delete notes\.txt.*blocked by what the tool was granted: destructive-not-granted/.test(rows[3]), rows[3]);
    check(/^exists \/etc\/hosts.*blocked by the workspace: path-escapes-base/.test(rows[4]), rows[4]);
    await shot(page, "run-files");
    await close(page);
  });

  await scenario("R6", "the limits show the memory of the worker, and what the number is", async () => {
    const t = await p.tool(spec("heavy", { "x-tests": [], code: "const a = new Uint8Array(40 * 1024 * 1024).fill(1);\nreturn { twice: n * 2, size: a.length };\n" }));
    const page = await open(p, t);
    await run(page);
    await id(page, "run-tab-limits").click();
    const bar = id(page, "run-limit", '[data-id="memory"]').first();
    await bar.waitFor();
    const [, used, most] = /(\d+) MB of (\d+) MB/.exec(await bar.textContent());
    check(Number(used) > 40 && Number(used) < Number(most) && most === "210", await bar.textContent());
    await until(async () => await id(page, "run-memory").first().textContent(), async () => /held: .* before the run, and \d+ MB more during it/.test(await id(page, "run-memory").first().textContent()));
    await shot(page, "run-memory");
    await close(page);
  });

  await scenario("R7", "what a run shows is clean for axe in both themes, and fits a phone", async () => {
    const t = await p.tool({ ...reaching("shown"), code: "console.log('begin');\nconsole.error('a long line '.repeat(20));\n" + reaching("shown").code });
    for (const colorScheme of ["light", "dark"])
      for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
        const page = await open(p, t, { bypassCSP: true, colorScheme, viewport });
        await run(page);
        for (const [tab, part] of [["console", "console-row"], ["network", "run-net-row"], ["files", "run-file-row"], ["limits", "run-limit"]]) {
          await id(page, "run-tab-" + tab).click();
          await id(page, part).first().waitFor();
          await id(page, "run-tab-" + tab).scrollIntoViewIfNeeded();
          await page.evaluate(() => document.querySelector('[data-testid="run-status"]').scrollIntoView({ block: "start" }));
          const name = `run-${tab}-${colorScheme}-${viewport.width}`;
          await shot(page, name);
          equal(await axe(page), [], name);
          await until(name + " is no wider than the page", () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        }
        await close(page);
      }
  });
  await p.stop();
}
