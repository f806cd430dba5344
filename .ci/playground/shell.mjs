import { axe, browser, check, code, equal, id, Playground, scenario, shot, slack, spec, strangers, until } from "./world.mjs";

export async function shell() {
  const p = await new Playground("shell").start();

  await scenario(1, "nothing installed: the tour and the endpoint are there within 2 s", async () => {
    await p.page("/").then((warm) => warm.context().close()); // the browser has begun by then
    const began = Date.now();
    const page = await p.page("/");
    await id(page, "home-tour").waitFor();
    await id(page, "endpoint-copy").waitFor();
    const took = Date.now() - began;
    console.log(`# the first page after ${took} ms`);
    check(took < 2000 * slack, `it took ${took} ms`);
    equal(await id(page, "model-pill").textContent(), "Demo model", "the model");
    equal(strangers, [], "requests that left the origin");
    await shot(page, "home-light");
    await page.context().close();
  });

  await scenario("1b", "at most six requests before the page can be used", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const seen = [];
    page.on("request", (r) => seen.push(new URL(r.url()).pathname));
    await page.goto(p.url + "/");
    await id(page, "home-tour").waitFor();
    const files = seen.filter((s) => !s.startsWith("/api/") && !s.endsWith("icon.svg"));
    check(files.length <= 6, "requests: " + seen.join(" "));
    await context.close();
  });

  await scenario(2, "the steps of the tour that need no chat, by keyboard only", async () => {
    const page = await p.page("/");
    const press = async (name, more = "") => {
      await id(page, name, more).first().focus();
      await page.keyboard.press("Enter");
    };
    await press("tour-go", '[data-id="make"]');
    await id(page, "tool-name").waitFor();
    await page.keyboard.press("Control+s");
    await until("it is stored", async () => /\/tools\/[0-9a-f-]{36}$/.test(page.url()));
    await page.keyboard.press("Control+Enter");
    await id(page, "pass-stamp").waitFor();
    await until("publishing is possible", async () => await id(page, "tool-publish").isEnabled());
    await page.keyboard.press("Control+Shift+Enter");
    await id(page, "publish-confirm").waitFor();
    await press("publish-confirm");
    await id(page, "published").waitFor();
    await page.goto(p.url + "/");
    await until("three steps are done", async () => (await id(page, "tour-step", '[data-done="yes"]').count()) === 3);
    check((await id(page, "mcp-pill").textContent()).startsWith("6"), "six tools are live: " + (await id(page, "mcp-pill").textContent()));
    await page.context().close();
  });

  await scenario("2c", "the fourth step: the question stands in the chat, and its answer comes from the tool", async () => {
    const page = await p.page("/");
    await id(page, "tour-go", '[data-id="call"]').focus();
    await page.keyboard.press("Enter");
    await until("it is written and not sent", async () => (await id(page, "chat-input").inputValue()).includes("15% tip on 80"));
    equal((await p.api("GET", "/api/conversations")).data.items.length, 0, "conversations");
    await id(page, "chat-input").focus();
    await page.keyboard.press("Enter");
    await id(page, "tool-card", '[data-id="tipCalculator"][data-state="COMPLETED"]').waitFor({ timeout: 15_000 });
    await id(page, "turn-usage").waitFor({ timeout: 15_000 });
    check(/12/.test(await id(page, "answer").textContent()), "the answer");
    await page.goto(p.url + "/");
    await until("the step is done", async () => (await id(page, "tour-step", '[data-id="call"]').getAttribute("data-done")) === "yes");
    await page.context().close();
  });

  await scenario("2b", "break it on purpose: an edit takes the tool off the air", async () => {
    const page = await p.page("/");
    await id(page, "tour-go", '[data-id="break"]').click();
    await code(page, "// another line\nreturn { tip: bill * percent / 100, total: bill };\n");
    await id(page, "tool-save").click();
    await until("it is a draft", async () => ["stale_pass", "draft"].includes(await id(page, "tool-state").getAttribute("data-state")));
    await page.goto(p.url + "/");
    await until("the step is done", async () => (await id(page, "tour-step", '[data-id="break"]').getAttribute("data-done")) === "yes");
    check((await id(page, "home-attention").textContent()).includes("tipCalculator"), "it needs attention");
    await page.goto(p.url + "/chat?ask=" + encodeURIComponent("What is a 15% tip on 80?"));
    await id(page, "chat-send").click();
    await id(page, "turn-usage").waitFor({ timeout: 15_000 });
    equal(await id(page, "tool-card", '[data-id="tipCalculator"]').count(), 0, "calls of a tool without a pass");
    await page.context().close();
  });

  await scenario(3, "a skipped tour stays hidden after a restart", async () => {
    const page = await p.page("/");
    await id(page, "tour-skip").click();
    await id(page, "home-tour").waitFor({ state: "detached" });
    await p.stop();
    await p.start();
    await page.goto(p.url + "/");
    await id(page, "home-recent").waitFor();
    equal(await id(page, "home-tour").count(), 0, "tours");
    await page.context().close();
  });

  await scenario(4, "the palette finds a tool by its beginning", async () => {
    const page = await p.page("/settings");
    await id(page, "page-title").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("tip");
    await until("the tool is first", async () => (await id(page, "palette-item").first().textContent()).startsWith("tipCalculator"));
    await shot(page, "palette");
    await page.keyboard.press("Enter");
    await until("it is open", async () => (await id(page, "page-title").textContent()) === "tipCalculator");
    await page.context().close();
  });

  await scenario(5, "letters in a box are text, outside they go places", async () => {
    const page = await p.page("/tools");
    await id(page, "tools-search").fill("");
    await id(page, "tools-search").pressSequentially("gs");
    equal(await id(page, "tools-search").inputValue(), "gs", "the box");
    check(new URL(page.url()).pathname === "/tools", "the page stayed");
    await id(page, "page-title").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await until("the servers are open", () => new URL(page.url()).pathname === "/servers");
    await page.context().close();
  });

  await scenario(6, "dark by the system: no white frame", async () => {
    const page = await p.page("/", { colorScheme: "dark" });
    const bg = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    equal(bg, "rgb(15, 19, 25)", "the background");
    check((await id(page, "theme-toggle").textContent()).includes("System"), "the switch says System");
    await shot(page, "home-dark");
    await page.context().close();
  });

  await scenario(7, "a killed server is told, and forgotten when it is back", async () => {
    const page = await p.page("/tools");
    await id(page, "tool-row").first().waitFor();
    await p.stop("SIGKILL");
    await id(page, "stream-banner").waitFor({ timeout: 10_000 });
    await until("it says that it is not running", async () => /not running/.test(await id(page, "stream-banner").textContent()), 15);
    await p.start();
    await p.tool(spec("afterTheBreak"));
    await id(page, "stream-banner").waitFor({ state: "detached", timeout: 30_000 });
    await id(page, "tools-search").fill("afterTheBreak");
    await until("the list is fresh", async () => (await id(page, "tools-count").textContent()).startsWith("1 of"));
    await page.context().close();
  });

  await scenario(8, "nine tabs: the ninth renders, and learns what happens", async () => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    const tabs = [];
    for (let i = 0; i < 8; i++) tabs.push(await p.page("/tools", { context }));
    const began = Date.now();
    const ninth = await p.page("/tools", { context });
    await id(ninth, "tool-row").first().waitFor();
    const took = Date.now() - began;
    console.log(`# the ninth tab after ${took} ms`);
    check(took < 2000 * slack, `it took ${took} ms`);
    const before = await id(ninth, "tools-count").textContent();
    await p.tool(spec("ninthTab"));
    await until("it counts one more", async () => (await id(ninth, "tools-count").textContent()) !== before);
    await context.close();
  });

  await scenario(10, "an unknown address is a page that says so", async () => {
    const page = await p.page("/nothing/here");
    await id(page, "not-found").waitFor();
    equal((await page.request.get(p.url + "/nothing/here", { headers: { Accept: "text/html" } })).status(), 200, "status");
    await page.context().close();
  });

  const tool = await p.tool(spec("lookedAt"));
  const routes = ["/", "/tools", "/tools/new", "/tools/" + tool.id, "/tools/" + tool.id + "/review", "/tools/import", "/servers", "/servers/builtin", "/servers/new", "/approvals", "/approvals/history", "/approvals/grants", "/approvals/policies",
    "/chat", ...["models", "appearance", "keyboard", "chat", "safety", "secrets", "mcp", "network", "storage", "telemetry", "about"].map((s) => "/settings/" + s), "/no/such/page"];

  await scenario(11, "360 pixels wide: no page scrolls sideways, and the top bar is one row whose controls have names", async () => {
    const page = await p.page("/", { viewport: { width: 360, height: 740 } });
    const wide = [];
    for (const at of routes) {
      await page.goto(p.url + at);
      await id(page, "page-title").waitFor();
      await page.waitForTimeout(350);
      const w = await page.evaluate(() => document.documentElement.scrollWidth);
      if (w > 360) wide.push(`${at} ${w}`);
      const bar = await page.evaluate(() => {
        const top = document.querySelector("header.top");
        const controls = [...top.querySelectorAll(".pill")];
        return [top.offsetHeight, controls.every((c) => Math.abs(c.getBoundingClientRect().top - controls[0].getBoundingClientRect().top) < 4), controls.filter((c) => !(c.ariaLabel ?? c.textContent).trim()).length];
      });
      if (bar[0] > 60 || !bar[1] || bar[2] > 0) wide.push(`${at}, the top bar: ${bar}`);
      if (at === "/" || at === "/tools" || at === "/tools/new") await shot(page, "narrow" + at.replaceAll("/", "_"));
    }
    equal(wide, [], "too wide");
    for (const name of [/^Search/, /^Demo model/, /^\d+ tools live/, /approvals? wait/, /^Theme: /]) check((await page.locator("header.top").getByRole("button", { name }).or(page.locator("header.top").getByRole("link", { name })).count()) === 1, "the top bar has " + name);
    await page.context().close();
  });

  await scenario(12, "axe finds nothing serious on any page in either theme", async () => {
    const found = [];
    for (const colorScheme of ["light", "dark"]) {
      const page = await p.page("/", { colorScheme, bypassCSP: true });
      for (const at of routes) {
        await page.goto(p.url + at);
        await id(page, "page-title").waitFor();
        await page.waitForTimeout(400);
        const list = await axe(page);
        for (const f of list) found.push(`${colorScheme} ${at}: ${f}`);
      }
      await page.context().close();
    }
    equal(found, [], "findings");
  });

  await scenario(13, "reduced motion: a dialog does not move", async () => {
    const page = await p.page("/tools", { reducedMotion: "reduce" });
    await id(page, "tools-exposure").click();
    const d = await id(page, "exposure").evaluate((e) => getComputedStyle(e).animationDuration);
    equal(d, "0s", "duration");
    await page.context().close();
  });

  await scenario(99, "without JavaScript the page still tells the endpoint", async () => {
    const page = await p.page("/", { javaScriptEnabled: false });
    equal(await page.locator("noscript").count() > 0, true, "noscript");
    check((await page.content()).includes(p.url + "/mcp"), "the endpoint is in the page");
    await page.context().close();
  });
  await p.stop();
}
