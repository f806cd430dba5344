// The list of tools: one's own, those that are published, and the gallery of bundled ones.
import { axe, equal, id, Playground, same, scenario, shot, spec, until } from "./world.mjs";

const close = (page) => page.context().close();
const fits = (page, what) => until("no wider than the page: " + what, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

export async function gallery() {
  const p = await new Playground("gallery").start();

  await scenario("G1", "the list opens on one's own tools, says what to do while there are none, and a bundled tool is where to begin", async () => {
    const page = await p.page("/");
    await id(page, "nav-tools").click();
    await same(() => id(page, "tools-view-mine").getAttribute("aria-selected"), "true", "mine is chosen");
    await id(page, "empty-new").waitFor();
    await shot(page, "gallery-empty");
    await id(page, "empty-gallery").click();
    await until("five categories or more", async () => (await id(page, "gallery-group").count()) >= 5);
    await shot(page, "gallery");
    await id(page, "gallery-category", '[data-id="CRYPTO"]').click();
    await until("one category", async () => (await id(page, "gallery-group").count()) === 1);
    await id(page, "tools-search").fill("uuid");
    await until("the address has both", () => page.url().includes("cat=CRYPTO") && page.url().includes("q=uuid"));
    const tile = id(page, "gallery-tool", '[data-id="uuid"]');
    await page.reload();
    await tile.locator('[data-testid="gallery-use"]').click();
    await id(page, "fork-banner").waitFor();
    await same(() => id(page, "tool-name").inputValue(), "copyOfUuid", "a draft of one's own");
    await id(page, "nav-tools").click();
    await until("it is in one's own", async () => (await id(page, "tool-open").allTextContents()).join() === "copyOfUuid");
    await id(page, "tools-view-gallery").click();
    await id(page, "tools-search").fill("no tool has such words");
    await id(page, "gallery-clear").click();
    await id(page, "gallery-open").first().click();
    await id(page, "tool-fork").waitFor();
    await close(page);
  });

  await scenario("G2", "what is published is listed by itself, and leaves the list when it is unpublished", async () => {
    const { id: tool, name } = await p.live(spec("doubler"));
    const page = await p.page("/tools");
    const listed = () => id(page, "tool-open").allTextContents();
    await until("both are one's own", async () => (await listed()).length === 2);
    await id(page, "tools-view-published").click();
    await until("it is published", async () => (await listed()).includes(name) && !(await listed()).includes("copyOfUuid"));
    await shot(page, "gallery-published");
    await id(page, "tool-menu", `[data-id="${tool}"]`).click();
    await id(page, "action-unpublish").click();
    await until("it is not", async () => !(await listed()).includes(name));
    for (const { id: other } of (await p.api("GET", "/api/tools?collection=published")).data.items) await p.api("POST", `/api/tools/${other}/unpublish`);
    await id(page, "empty-mine").click();
    await until("one's own again", async () => (await listed()).includes(name));
    await close(page);
  });

  await scenario("G3", "by keyboard alone: arrows between the collections, j and k and Enter among the tools", async () => {
    const page = await p.page("/tools");
    await id(page, "tools-view-mine").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await id(page, "gallery-tool").first().waitFor();
    await same(() => page.evaluate(() => document.activeElement?.dataset.testid), "tools-view-gallery", "focus");
    await page.keyboard.press("/");
    await page.keyboard.type("hash");
    await until("hash is first", async () => (await id(page, "gallery-tool").first().getAttribute("data-id")) === "hash" || (await id(page, "gallery-tool").count()) < 10);
    await page.keyboard.press("Escape");
    await id(page, "page-title").focus();
    await page.keyboard.press("j");
    await until("the first tool", () => page.evaluate(() => document.activeElement?.dataset.testid === "gallery-open"));
    await page.keyboard.press("Enter");
    await id(page, "tool-fork").waitFor();
    await close(page);
  });

  await scenario("G4", "the gallery fits every width, and axe finds nothing, in both themes", async () => {
    for (const colorScheme of ["light", "dark"])
      for (const width of [1440, 1024, 390]) {
        const page = await p.page("/tools", { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        for (const view of ["mine", "published", "gallery"]) {
          await id(page, "tools-view-" + view).click();
          await id(page, { mine: "tool-row", published: "empty-mine", gallery: "gallery-tool" }[view]).first().waitFor();
          await shot(page, ["gallery", view, width, colorScheme].join("-"));
          equal(await axe(page), [], [view, width, colorScheme].join(" "));
          await fits(page, view + " " + width);
        }
        await close(page);
      }
  });
  await p.stop();
}
