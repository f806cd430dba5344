// Much at once, and programs that die in the middle: each ends in a clear state,
// which a reload shows.
import { browser, check, Client, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";
import { close, conversation, say } from "./chat.mjs";
import { FakeModel } from "./fakemodel.mjs";

const status = (page) => id(page, "turn").last().getAttribute("data-status");
const ended = (page) => until("the turn ends", async () => !["running", "open", "RUNNING"].includes(await status(page)));

export async function hardship() {
  await scenario("h1", "two tabs, two conversations and an MCP client at once", async () => {
    const p = await new Playground("crowd", { args: ["-demo-pace", "3ms"] }).start();
    await p.live(spec("doubleIt"));
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    const one = await p.page("/chat", { context });
    const two = await p.page("/chat", { context });
    const client = await new Client(p.url, "crowd").hello();
    const [, , answers] = await Promise.all([
      say(one, "long answer 80", false),
      say(two, "use tool doubleIt with n=21", false),
      Promise.all(Array.from({ length: 20 }, (_, n) => client.call("doubleIt", { n }))),
    ]);
    equal(answers.map((a) => JSON.parse(a.result.content[0].text).twice), Array.from({ length: 20 }, (_, n) => n * 2), "answers of the client");
    await Promise.all([ended(one), ended(two)]);
    check(conversation(one) !== conversation(two), "two conversations");
    for (const page of [one, two]) {
      await page.reload();
      await id(page, "turn-usage").waitFor();
      await same(() => id(page, "turn").count(), 1, "turns");
      await same(() => status(page), "completed", "its end");
    }
    await id(two, "tool-card", '[data-id="doubleIt"][data-state="COMPLETED"]').waitFor();
    await same(() => id(one, "tool-card").count(), 0, "nothing of one conversation is in the other");
    await same(async () => (await p.api("GET", "/api/mcp/builtin")).data.calls, 21, "calls");
    await context.close();
    await p.stop();
  });

  await scenario("h2", "killed in the middle of a turn: the next start closes it, and it can go on", async () => {
    const p = await new Playground("killed", { args: ["-demo-pace", "40ms"] }).start();
    const page = await p.page("/chat");
    await say(page, "long answer 400", false);
    await until("words are there", async () => (await id(page, "answer").last().textContent()).length > 60);
    const at = new URL(page.url()).pathname;
    await p.stop("SIGKILL");
    await id(page, "stream-banner", '[data-state="stopped"]').waitFor();
    await shot(page, "killed");
    p.args = ["-demo-pace", "1ms"];
    await p.start();
    await until("the turn is closed", async () => {
      const c = (await p.api("GET", "/api/conversations" + at.replace("/chat", ""))).data;
      return !c.turnId && c.status !== "RUNNING" && c.status;
    });
    await page.goto(p.url + at);
    await ended(page);
    await same(() => status(page), "incomplete", "a clear end");
    await id(page, "turn-resume").waitFor();
    await until("it says so", async () => /Interrupted\./.test(await id(page, "turn").last().textContent()));
    await until("the question is kept", async () => (await page.locator("main").textContent()).includes("long answer 400"));
    await shot(page, "killed-after");
    await id(page, "turn-resume").click();
    await until("it is finished", async () => (await status(page)) === "completed");
    await page.reload();
    await id(page, "turn-usage").waitFor();
    await same(() => id(page, "turn").count(), 1, "turns");
    await close(page);
    await p.stop();
  });

  await scenario("h3", "the provider is killed in mid-stream: the text and the reason stay, and it answers when it is back", async () => {
    const model = await new FakeModel().start();
    const p = await new Playground("provider", { args: ["-profile", "compatible", "-base-url", model.url] }).start();
    model.say = () => Array.from({ length: 200 }, (_, i) => "word" + i + " ");
    model.pause = 30;
    const page = await p.page("/chat");
    await id(page, "model-pill", '[data-state="ready"]').waitFor();
    await say(page, "speak at length", false);
    await until("words are there", async () => /word9/.test(await id(page, "answer").last().textContent()));
    await model.stop();
    await ended(page);
    await page.reload();
    await id(page, "turn-error").waitFor();
    await until("what was said is kept", async () => /word3/.test(await id(page, "turn").last().textContent()));
    await page.goto(p.url + "/");
    equal((await p.api("POST", "/api/settings/model/check", {})).data.state, "unreachable", "the state");
    await id(page, "model-pill", '[data-state="unreachable"]').waitFor();
    await id(page, "model-banner").waitFor();
    await shot(page, "provider-away");
    model.pause = 0;
    await model.start();
    await id(page, "model-retry").click();
    await id(page, "model-pill", '[data-state="ready"]').waitFor();
    await page.goto(p.url + "/chat/" + (await p.api("GET", "/api/conversations")).data.items[0].id);
    await id(page, "turn-retry").last().click();
    await until("it is answered", async () => /word199/.test(await id(page, "answer").last().textContent()));
    await close(page);
    await p.stop();
    await model.stop();
  });
}
