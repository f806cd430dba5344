// The two minutes of the README, as they are written there: by the words on the
// page alone. Its pictures are those of the README.
import { check, code, id, Playground, same, scenario, shot, slack, until } from "./world.mjs";

export async function tour() {
  const p = await new Playground("tour", { args: ["-demo-pace", "5ms"] }).start();
  await scenario("tour", "the two minutes of the README", async () => {
    const began = Date.now();
    const page = await p.page("/", { viewport: { width: 1280, height: 800 } });
    const press = (name) => page.getByRole("button", { name, exact: true }).or(page.getByRole("link", { name, exact: true })).first().click();
    await page.getByRole("heading", { name: "No pass, no run." }).waitFor();
    await page.waitForTimeout(300);
    await shot(page, "home");

    await press("Open the editor");
    await press("Save draft");
    await page.getByRole("button", { name: "Run test" }).first().click();
    await id(page, "pass-stamp").waitFor();
    await until("it can be published", () => id(page, "tool-publish").isEnabled());
    await shot(page, "studio");
    await press("Publish…");
    await press("Publish tool");
    await id(page, "published").waitFor();

    await press("Home");
    await press("Open the chat");
    await until("the question is typed", async () => (await id(page, "chat-input").inputValue()).includes("15% tip on 80"));
    await press("Send");
    await id(page, "tool-card", '[data-id="tipCalculator"][data-state="COMPLETED"]').waitFor();
    await id(page, "turn-usage").waitFor();
    await until("the answer", async () => /tip: 12/.test(await id(page, "answer").textContent()));
    await press("Open trace");
    await id(page, "span-row").first().waitFor();
    await page.waitForTimeout(300);
    await shot(page, "trace");

    await press("Home");
    await press("Edit one line");
    await code(page, "return { tip: 0, total: bill };\n");
    await press("Save draft");
    await until("it is off the air", async () => (await p.api("GET", "/api/mcp/builtin")).data.tools.every((t) => t.name !== "tipCalculator"));
    await press("Agentic Chat");
    await press("New chat");
    await id(page, "chat-input").fill("What is a 15% tip on 80?");
    await press("Send");
    await id(page, "turn-usage").waitFor();
    await same(() => id(page, "tool-card", '[data-id="tipCalculator"][data-state="COMPLETED"]').count(), 0, "calls of a tool without a pass");
    console.log("# the answer without it:", (await id(page, "answer").last().innerText()).slice(0, 300));

    await press("Home");
    await page.getByText("Approve a risky call").click();
    await press("Make, test and publish it");
    await until("its question is typed", async () => /saveNote/.test(await id(page, "chat-input").inputValue()));
    await press("Send");
    await id(page, "approval-card").waitFor();
    await page.waitForTimeout(800);
    await id(page, "approval-card").scrollIntoViewIfNeeded();
    await shot(page, "approval");
    await id(page, "approval-sure").check();
    await press("Approve");
    await id(page, "tool-card", '[data-id="saveNote"][data-state="COMPLETED"]').waitFor();
    check(Date.now() - began < 120_000 * slack, "it takes two minutes at most");
    await page.context().close();
  });
  await p.stop();
}
