// Where the focus goes when what had it goes away: who works by keyboard goes on
// from there, and not from the top of the page.
import { check, equal, id, Playground, same, scenario, spec, until } from "./world.mjs";
import { close, settled } from "./chat.mjs";

const focused = (page) => page.evaluate(() => document.activeElement?.dataset.testid ?? document.activeElement?.tagName ?? "");

/** press goes to a control as the keyboard does, and presses it. */
async function press(page, name, key = "Enter") {
  await id(page, name).focus();
  await page.keyboard.press(key);
}

export async function look() {
  const p = await new Playground("look", { args: ["-demo-pace", "5ms"] }).start();
  const wide = { viewport: { width: 1280, height: 800 } };

  await scenario("look1", "made, tested and published by keyboard: the focus is where it goes on", async () => {
    const page = await p.page("/tools/new", wide);
    await id(page, "tool-name").waitFor();
    await same(() => id(page, "tool-save").textContent(), "Save draft", "nothing of it is saved");
    await until("the reason is said", async () => (await id(page, "tool-run-reason").textContent()) === "Give the tool a name first.");
    await until("the test waits for it", () => id(page, "tool-run").isDisabled());
    await id(page, "tool-name").fill("wordCount");
    await press(page, "form-params");
    await press(page, "param-add");
    await until("the new parameter has it", async () => (await focused(page)) === "param-name");
    await page.keyboard.type("text");
    await id(page, "param-test").fill("one two three");
    await press(page, "run-tab-cases");
    await press(page, "case-add");
    await until("the new case has it", async () => (await focused(page)) === "case-name");
    await id(page, "tool-code-rich").locator(".cm-content").focus();
    await page.keyboard.insertText("return { words: text.split(' ').length };");
    await press(page, "tool-run");
    await id(page, "pass-stamp").waitFor();
    await same(() => focused(page), "tool-run", "the button keeps it while it works");
    await until("what came of the run is in sight", async () => {
      const { y } = await id(page, "pass-stamp").boundingBox();
      return y > 0 && y < 800;
    });
    await until("it can be published", () => id(page, "tool-publish").isEnabled());
    await press(page, "tool-publish");
    await id(page, "publish-confirm").waitFor();
    await press(page, "publish-confirm");
    await id(page, "published").waitFor();
    await until("its title has it", () => page.evaluate(() => document.activeElement?.textContent === "Live on /mcp as wordCount"));
    await close(page);
  });

  await scenario("look2", "a question is asked and a call approved by keyboard: the focus stays in the conversation", async () => {
    const asks = spec("gently", { description: "Doubles a number the gently way. Use it when somebody asks for gently of a number.", humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May gently run?" } });
    const tool = await p.tool(asks);
    let done = null;
    void p.api("POST", `/api/tools/${tool.id}/runs?wait=1`, {}).then((r) => (done = r.data));
    await until("it passes", async () => {
      for (const q of (await p.api("GET", "/api/approvals?state=pending")).data.items) await p.api("POST", "/api/approvals/" + q.id, { decision: "approved" });
      return done;
    });
    equal((await p.api("POST", `/api/tools/${tool.id}/publish`, { receipt: done.receipt.id, confirm: true })).status, 200, "published");
    const page = await p.page("/chat", wide);
    await id(page, "chat-input").focus();
    await page.keyboard.type("gently 21");
    await page.keyboard.press("Enter");
    await until("the conversation has an address", () => /\/chat\/c_/.test(page.url()));
    await until("who was typing types on", async () => (await focused(page)) === "chat-input");
    await id(page, "approval-card").waitFor();
    await until("it is armed", () => id(page, "approval-approve").isEnabled());
    await press(page, "approval-approve");
    await settled(page);
    await until("the call has it", async () => (await focused(page)) === "tool-card-open");
    await page.reload();
    await id(page, "tool-card", '[data-id="gently"][data-state="COMPLETED"]').waitFor();
    await close(page);
  });

  await scenario("look3", "a server that cannot be reached says what that means, and what to do", async () => {
    await p.api("POST", "/api/mcp/servers", { id: "other", transport: "http", connection: { url: "http://127.0.0.1:1/mcp" } });
    for (let i = 0; i < 6; i++) await p.api("POST", "/api/mcp/servers/other/connect", {});
    const page = await p.page("/servers", wide);
    await id(page, "server-row", '[data-id="other"]').waitFor();
    await until("what it offers", async () => /not known yet/.test(await id(page, "server-row", '[data-id="other"]').textContent()));
    await page.goto(p.url + "/servers/other/inspect/tools");
    await page.getByRole("heading", { name: "It never said what it offers" }).waitFor();
    await page.goto(p.url + "/servers/new");
    await press(page, "transport-stdio", "Space");
    await press(page, "stdio-arg-add");
    await until("the new argument has the focus", async () => (await focused(page)) === "stdio-arg");
    await close(page);
  });

  await scenario("look4", "a chat enlarged to 400 per cent, and one on a phone that lies: the answer can be read, nothing scrolls sideways", async () => {
    for (const viewport of [{ width: 320, height: 256 }, { width: 640, height: 360 }]) { // WCAG 2.2, 1.4.10: 1280 by 1024
      const page = await p.page("/chat", { viewport });
      await id(page, "chat-input").fill("Hello there");
      await page.keyboard.press("Enter");
      await settled(page);
      await page.reload();
      await id(page, "answer").last().waitFor();
      await until("there is room for the answer", async () => (await page.locator(".log").boundingBox()).height >= 140);
      check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing scrolls sideways");
      await id(page, "chat-input").focus();
      await id(page, "chat-send").scrollIntoViewIfNeeded();
      await close(page);
    }
  });
  await p.stop();
}
