// The palette, the settings and the home as a whole: what finds, shows, takes along
// and empties.
import fs from "node:fs";
import path from "node:path";
import { check, equal, id, Playground, same, scenario, shot, spec, until, work } from "./world.mjs";

const close = (page) => page.context().close();

async function open(page, text) {
  await id(page, "page-title").waitFor();
  await page.keyboard.press("Control+k");
  await id(page, "palette-input").fill(text);
}

const first = (page) => id(page, "palette-item").first();

export async function frame() {
  const p = await new Playground("frame").start();

  await scenario("4b", "the palette: signs, synonyms, what was opened, actions, a new tab, asking the chat", async () => {
    const tool = await p.tool(spec("tideTable"));
    const talk = (await p.api("POST", "/api/conversations", { title: "Tides of the north" })).data;
    const page = await p.page("/tools");
    await open(page, "dark mode");
    await until("a setting by another word", async () => (await first(page).getAttribute("data-id")) === "setting:/settings/appearance");
    await id(page, "palette-input").fill("@tid");
    await until("only tools", async () => (await first(page).getAttribute("data-id")) === "tool:" + tool.id && (await page.locator('[data-testid="palette-item"]:not([data-id^="tool:"])').count()) === 0);
    await id(page, "palette-input").fill("#tid");
    await until("only conversations", async () => (await first(page).getAttribute("data-id")) === "conversation:" + talk.id && (await id(page, "palette-item").count()) === 1);
    await id(page, "palette-input").fill(">new");
    await until("only actions", async () => (await page.locator('[data-testid="palette-item"] .kind').allTextContents()).every((k) => k === "Action" || k === "On this page"));
    await id(page, "palette-input").fill("tide");
    await until("the tool is first", async () => (await first(page).getAttribute("data-id")) === "tool:" + tool.id);
    const [tab] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("Control+Enter")]);
    await until("a tab of its own", () => new URL(tab.url()).pathname === "/tools/" + tool.id);
    await tab.close();
    equal(new URL(page.url()).pathname, "/tools", "the page stayed");
    await page.reload();
    await id(page, "tool-row").first().waitFor();
    await page.keyboard.press("Control+k");
    await until("what was opened is first", async () => (await first(page).getAttribute("data-id")) === "tool:" + tool.id);
    await shot(page, "palette-recent");
    await id(page, "palette-input").fill("how high is it");
    await until("the chat can be asked", async () => (await id(page, "palette-item", '[data-id="ask"]').count()) === 1);
    await id(page, "palette-item", '[data-id="ask"]').click();
    await until("it is written and not sent", async () => (await id(page, "chat-input").inputValue()) === "how high is it");
    await close(page);
  });

  await scenario("5b", "single keys can be switched off, and the sheet says so", async () => {
    const page = await p.page("/settings/keyboard");
    await id(page, "singles").uncheck();
    await page.goto(p.url + "/tools");
    await id(page, "page-title").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForTimeout(300);
    equal(new URL(page.url()).pathname, "/tools", "the page stayed");
    await open(page, ">keyboard");
    await page.keyboard.press("Enter");
    await id(page, "shortcuts").waitFor();
    await until("the sheet says so", async () => (await id(page, "shortcuts").textContent()).includes("switched off"));
    const rows = await id(page, "shortcut-row").allTextContents();
    check(rows.some((r) => /Ctrl\s?K/.test(r)) && rows.some((r) => /This page|New/.test(r)), "of the registry and of the page: " + rows.join("|"));
    await shot(page, "shortcuts-off");
    await id(page, "shortcuts-settings").click();
    await id(page, "singles").check();
    await page.reload();
    await until("it is kept", () => id(page, "singles").isChecked());
    await close(page);
  });

  await scenario("s1", "settings: found by a word, each with where it comes from", async () => {
    const q = await new Playground("origins", { args: ["-tool-timeout", "7s"], env: { LOCALPASS_PROFILE: "demo" } });
    fs.writeFileSync(path.join(q.home, "localpass.json"), `{"approval": {"timeout": "3m"}} // a comment\n`);
    await q.start();
    const page = await q.page("/settings");
    await id(page, "settings-search").fill("timeout");
    await id(page, "settings-section", '[data-id="safety"]').waitFor();
    const origin = (name) => id(page, "setting-row", `[data-id="${name}"]`).getAttribute("data-origin");
    await same(async () => [await origin("tools.timeout"), await origin("approval.timeout")], ["flag", "file"], "origins");
    await id(page, "settings-search").fill("profile");
    await until("of the environment", async () => (await origin("profile")) === "environment");
    await until("the name of the variable", async () => (await id(page, "setting-row", '[data-id="profile"]').textContent()).includes("LOCALPASS_PROFILE"));
    await id(page, "settings-search").fill("nothing like it");
    await id(page, "settings-none").waitFor();
    await close(page);
    await q.stop();
  });

  await scenario("s2", "the self-check holds, and the diagnostics hold no secret", async () => {
    await p.api("PUT", "/api/secrets/FRAME_KEY", { value: "never-in-a-report-4711" });
    const page = await p.page("/settings/about");
    await id(page, "self-check").click();
    await id(page, "check-list").waitFor();
    await same(() => id(page, "check-row", '[data-ok="no"]').count(), 0, async () => "failed checks: " + (await id(page, "check-list").textContent()));
    await page.reload();
    await id(page, "check-summary").waitFor();
    check(!(await (await fetch(p.url + "/api/diagnostics")).text()).includes("4711"), "no secret");
    await shot(page, "settings-about");
    await close(page);
  });

  await scenario("s3", "a backup is taken, brought back at the page, and what it replaced is kept", async () => {
    const kept = await p.live(spec("keptInTheBackup"));
    const page = await p.page("/settings/storage");
    const [download] = await Promise.all([page.waitForEvent("download"), id(page, "backup-download").click()]);
    const file = path.join(work, "backup.zip");
    await download.saveAs(file);
    await p.tool(spec("cameAfterIt"));
    await id(page, "backup-restore").click();
    await id(page, "restore-file").setInputFiles({ name: "bad.zip", mimeType: "application/zip", buffer: Buffer.from("no backup") });
    await id(page, "restore-confirm").click();
    await id(page, "problem").waitFor();
    await id(page, "restore-file").setInputFiles(file);
    await shot(page, "restore");
    await id(page, "restore-confirm").click();
    await id(page, "storage-taken").waitFor();
    await until("the program began anew", async () => /restart /.test(p.out));
    await until("it is ready", async () => (await fetch(p.url + "/readyz")).ok);
    await until("the page is live again", async () => (await id(page, "stream-banner").count()) === 0);
    const list = (await p.api("GET", "/api/tools?source=mine")).data.items.map((t) => t.name);
    check(list.includes("keptInTheBackup") && !list.includes("cameAfterIt"), "tools: " + list);
    await same(async () => (await p.api("GET", "/api/tools/" + kept.id)).data.live, true, "its pass holds");
    await page.reload();
    await id(page, "storage-part", '[data-id="before"]').waitFor();
    await page.goto(p.url + "/tools");
    await id(page, "tools-search").fill("keptInTheBackup");
    await until("the list has it", async () => (await id(page, "tools-count").textContent()).startsWith("1 of"));
    await close(page);
  });

  await scenario("s4", "a reset wants its word, and leaves nothing", async () => {
    const page = await p.page("/settings/storage");
    await id(page, "storage-reset").click();
    await until("not without the word", () => id(page, "reset-confirm").isDisabled());
    await id(page, "reset-word").fill("reset");
    await shot(page, "reset");
    const before = p.out.split("restart ").length;
    await id(page, "reset-confirm").click();
    await until("the program began anew", async () => p.out.split("restart ").length > before);
    await until("it is ready", async () => (await fetch(p.url + "/readyz")).ok);
    await same(async () => (await p.api("GET", "/api/tools?source=mine")).data.total, 0, "tools");
    await same(async () => (await p.api("GET", "/api/secrets")).data.items.length, 0, "secrets");
    await page.goto(p.url + "/");
    await id(page, "home-tour").waitFor();
    await close(page);
  });

  await scenario("s5", "the first page tells what happened, and what needs attention", async () => {
    const tool = await p.live(spec("happened"));
    const page = await p.page("/");
    await id(page, "recent-item", '[data-id="published"]').first().waitFor();
    await id(page, "recent-item", '[data-id="test"]').first().waitFor();
    await p.api("PUT", "/api/tools/" + tool.id, { ...spec("happened"), toolId: tool.id, code: "return { twice: n + n };\n" }, { "If-Match": "*" });
    await id(page, "attention-row", '[data-id="stale_pass"]').waitFor();
    await id(page, "attention-row", '[data-id="stale_pass"]').getByTestId("attention-open").click();
    await until("it leads to the place", () => new URL(page.url()).pathname === "/tools/" + tool.id);
    await page.goto(p.url + "/");
    await id(page, "home-health").waitFor();
    await shot(page, "home-busy");
    await close(page);
  });

  await scenario("s6", "a fifth stream of a browser is refused, and its place is free again afterwards", async () => {
    const streams = [];
    const ask = async () => {
      const stop = new AbortController();
      const res = await fetch(p.url + "/api/events?client=scenario-browser", { signal: stop.signal });
      return { stop, res };
    };
    for (let i = 0; i < 4; i++) streams.push(await ask());
    equal(streams.map((s) => s.res.status), [200, 200, 200, 200], "four");
    const fifth = await fetch(p.url + "/api/events?client=scenario-browser");
    equal([fifth.status, (await fifth.json()).code], [429, "stream_limit"], "the fifth");
    streams[0].stop.abort();
    await until("there is room", async () => {
      const again = await ask();
      again.stop.abort();
      return again.res.status === 200;
    });
    for (const s of streams) s.stop.abort();
  });
  await p.stop();
}
