import { check, equal, id, Playground, scenario, shot, spec, until } from "./world.mjs";

const asks = (name, more = {}) => spec(name, { description: `Doubles a number the ${name} way. Use it when somebody asks for ${name} of a number.`, approval: { enabled: true, mode: "required", promptTemplate: `May ${name} run?` }, ...more });

/** say asks a question at the page, and waits for the end of the turn unless told not to. */
async function say(page, text, wait = true) {
  const before = await id(page, "turn").count();
  await id(page, "chat-input").fill(text);
  await id(page, "chat-send").click();
  await until("the turn begins", async () => (await id(page, "turn").count()) > before || before === 0, 10);
  await until("the conversation has an address", () => /\/chat\/c_/.test(page.url()));
  await id(page, "turn").last().waitFor();
  if (wait) await settled(page);
}
const settled = (page) => until("the turn ends", async () => !["running", "open"].includes(await id(page, "turn").last().getAttribute("data-status")), 30);
const status = (page) => id(page, "turn").last().getAttribute("data-status");
const conversation = (page) => new URL(page.url()).pathname.split("/")[2];
const close = (page) => page.context().close();

export async function chat() {
  const p = await new Playground("chat", { args: ["-demo-pace", "10ms", "-approval-timeout", "20s"] }).start();

  await scenario(68, "a question is answered word by word, and Stop is there", async () => {
    const page = await p.page("/chat");
    await id(page, "chat-send").waitFor();
    await say(page, "long answer 120", false);
    await id(page, "chat-stop").waitFor();
    await until("words come", async () => (await id(page, "answer").last().textContent()).length > 60, 5);
    equal(await status(page), "running", "it still runs");
    await settled(page);
    await page.reload();
    await id(page, "turn-usage").waitFor();
    check((await id(page, "answer").textContent()).split(/\s+/).length > 100, "all of it is there after a reload");
    check(/estimated/.test(await id(page, "turn-usage").textContent()), "the usage");
    equal(await id(page, "demo-label").count(), 1, "the demo says that it is one");
    await shot(page, "chat-light");
    await close(page);
  });
  await p.stop();
}
