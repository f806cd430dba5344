// What stands on the first page behind the tour, and what a tab does that gets no
// stream of its own.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { axe, browser, Client, equal, id, Playground, same, scenario, shot, spec, still, until } from "./world.mjs";
import { settled } from "./chat.mjs";

/** files lists what is below a folder. */
const files = (dir) => (fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => path.join(e.parentPath, e.name)) : []);

export async function home() {
  const p = await new Playground("home", { args: ["-profile", "demo", "-demo-pace", "2ms"] }).start();
  const offer = (page) => id(page, "home-offer", '[data-id="risky"]');

  await scenario("dashboard", "after the tour Home tells what happened in the last hour", async () => {
    const d = await new Playground("dashboard", { args: ["-profile", "demo", "-demo-pace", "2ms"] }).start();
    const page = await d.page("/", { reducedMotion: "reduce" });
    await id(page, "home-tour").waitFor();
    await same(() => id(page, "home-dashboard").count(), 0, "dashboards of a new home");
    await id(page, "tour-skip").click();
    await id(page, "dash-tile", '[data-id="calls"]').waitFor();
    const value = (which) => id(page, "dash-tile", `[data-id="${which}"]`).locator("b").textContent();
    await same(() => value("calls"), "0", "calls before");
    await d.live(spec("twice"));
    await d.live(spec("breaks", { "x-tests": [{ name: "one", args: { n: 1 } }], code: "if (n === 5) throw new Error('no');\nreturn { n };\n" }));
    const client = await new Client(d.url, "dashboard").hello();
    await client.call("twice", { n: 4 });
    await client.call("breaks", { n: 5 });
    await until("the calls are counted", async () => Number(await value("calls")) >= 2);
    await until("the failure is counted", async () => Number(await value("failures")) >= 1);
    await shot(page, "dashboard");
    equal(await axe(page), [], "axe");
    await id(page, "dash-tile", '[data-id="failures"]').click();
    await until("the failures are listed", async () => (await id(page, "trace-row").count()) >= 1);
    await page.context().close();
    await d.stop();
  });

  await scenario("risky", "from the card on the first page to a file, by way of an approval", async () => {
    const page = await p.page("/", { reducedMotion: "reduce" });
    await offer(page).waitFor();
    await same(() => id(page, "home-offer").evaluateAll((list) => list.map((e) => e.dataset.id)), ["risky", "model", "editor"], "the cards");
    await same(() => offer(page).getAttribute("data-done"), "no", "before");
    await offer(page).press("Enter");
    await id(page, "risky-confirm").waitFor();
    await shot(page, "risky-dialog");
    equal(await axe(page), [], "axe");
    await same(async () => (await p.api("GET", "/api/tools?q=saveNote")).data.items.length, 0, "nothing is made before it is confirmed");
    await id(page, "risky-confirm").press("Enter");
    await until("the question is typed", async () => /saveNote/.test(await id(page, "chat-input").inputValue()));
    const made = (await p.api("GET", "/api/tools?q=saveNote")).data.items[0];
    equal([made.name, made.level, made.live, made.approval], ["saveNote", "L4", true, true], "the tool");
    await same(async () => (await p.api("GET", "/api/conversations")).data.items.length, 0, "conversations before it is sent");
    equal(files(path.join(p.home, "workspace")), [], "files after the test");
    await id(page, "chat-input").press("Enter");
    const card = id(page, "approval-card");
    await card.waitFor();
    await until("the card names the file", async () => (await card.textContent()).includes("notes/todo.md"));
    await shot(page, "risky-card");
    equal(files(path.join(p.home, "workspace")), [], "files before the answer");
    await page.waitForTimeout(800);
    await until("L4 wants a second yes", () => id(page, "approval-approve").isDisabled());
    await id(page, "approval-sure").check();
    await until("it can be approved", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    await id(page, "tool-card", '[data-id="saveNote"][data-state="COMPLETED"]').waitFor();
    await settled(page);
    const written = files(path.join(p.home, "workspace"));
    equal(written.map((f) => [path.basename(f), fs.readFileSync(f, "utf8")]), [["todo.md", "buy milk\n"]], "the file");
    const talk = page.url();
    await p.stop();
    await p.start();
    await page.goto(talk);
    await id(page, "tool-card", '[data-id="saveNote"][data-state="COMPLETED"]').waitFor();
    await page.goto(p.url + "/");
    await until("the card knows it", async () => (await offer(page).getAttribute("data-done")) === "yes");
    await same(() => id(page, "tour-step", '[data-done="yes"]').count(), 0, "steps of the tour that were done by the way");
    await shot(page, "risky-done");
    // What is ready is not made again.
    await offer(page).click();
    await id(page, "risky-confirm").click();
    await until("the chat is open", async () => /saveNote/.test(await id(page, "chat-input").inputValue()));
    await same(async () => (await p.api("GET", "/api/tools?q=saveNote")).data.items.length, 1, "tools of that name");
    await page.context().close();
  });

  await scenario("riskytaken", "another tool of that name is left alone", async () => {
    const other = await new Playground("hometaken").start();
    const mine = await other.tool(spec("saveNote"));
    const page = await other.page("/");
    await offer(page).click();
    await id(page, "risky-confirm").click();
    await id(page, "risky-taken").waitFor();
    await id(page, "risky-open").click();
    await until("it is open", () => page.url().endsWith("/tools/" + mine.id));
    await same(async () => (await other.api("GET", "/api/tools/" + mine.id)).data.version, mine.version, "its version");
    await page.context().close();
    await other.stop();
  });

  await scenario("hometraces", "what happened last leads to its trace, and the palette finds it by its id", async () => {
    await p.live(spec("traced"));
    const page = await p.page("/");
    const made = (await p.api("POST", "/api/conversations", { title: "t" })).data.id;
    await p.api("POST", `/api/conversations/${made}/turns`, { text: "Use the tool traced with n 4" }, { Accept: "application/json" });
    await until("the call has a trace", async () => (await id(page, "recent-trace").count()) > 0);
    await shot(page, "home-recent");
    await id(page, "recent-trace").first().click();
    await id(page, "trace-view").waitFor();
    const trace = await until("it is there", () => id(page, "trace-view").getAttribute("data-id"));
    await page.goto(p.url + "/settings");
    await id(page, "page-title").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(trace.slice(0, 12));
    await until("it is first", async () => (await id(page, "palette-item").first().getAttribute("data-id")) === "trace:" + trace);
    await shot(page, "palette-trace");
    await page.keyboard.press("Enter");
    await until("it is open", () => page.url().includes("trace=" + trace));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("traced");
    await until("by a name, behind the tool", async () => {
      const all = await id(page, "palette-item").evaluateAll((list) => list.map((e) => e.dataset.id));
      return all[0].startsWith("tool:") && all.some((i) => i.startsWith("trace:"));
    });
    await page.context().close();
  });

  await scenario("homeonce", "the first page asks for what it shows once", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    let asked = 0;
    page.on("request", (r) => new URL(r.url()).pathname === "/api/home" && asked++);
    // What changes meanwhile is asked for again: of some tries one sees no change.
    await until("one request", async () => {
      asked = 0;
      await page.goto(p.url + "/");
      await id(page, "home-live").waitFor();
      await id(page, "model-pill").waitFor();
      return asked === 1;
    });
    // On the way back from another page it is read anew: that page followed less.
    await id(page, "nav-tools").click();
    await id(page, "tools-search").waitFor();
    await p.api("POST", "/api/conversations", { title: "made meanwhile" });
    const many = (await p.api("GET", "/api/home")).data.conversations;
    await id(page, "nav-home").click();
    await until("it is fresh", async () => (await id(page, "kpi-chats").textContent()).startsWith(many + " "));
    await p.api("POST", "/api/conversations", { title: "made before its eyes" });
    await until("and follows", async () => (await id(page, "kpi-chats").textContent()).startsWith(many + 1 + " "));
    await context.close();
  });

  await scenario("fifthstream", "a tab that is refused a stream looks every five seconds, and takes one when it can", async () => {
    const page = await p.page("/tools");
    await id(page, "tools-count").waitFor();
    const client = await page.evaluate(() => localStorage.getItem("lp-client"));
    await page.goto("about:blank");
    const hold = () => new Promise((resolve) => {
      const q = http.get(`${p.url}/api/events?client=${client}`, (res) => (res.statusCode === 200 ? resolve(q) : (q.destroy(), resolve(null))));
      q.on("error", () => resolve(null));
    });
    const held = [];
    while (held.length < 4) held.push(await until("another stream, once the server sees that the page's is gone", hold));
    const refusals = [];
    page.on("response", (r) => new URL(r.url()).pathname === "/api/events" && refusals.push(r.status()));
    await page.goto(p.url + "/tools");
    await until("it is refused", () => refusals.includes(429));
    const count = await until("the list is there", async () => await id(page, "tools-count").textContent());
    await p.tool(spec("fifthStream"));
    await until("it learns of it", async () => (await id(page, "tools-count").textContent()) !== count);
    await same(() => id(page, "stream-banner").count(), 0, "alarms");
    for (const q of held) q.destroy();
    await until("it has a stream again", () => refusals.includes(200));
    await page.context().close();
  });

  await scenario("print", "a long conversation is printed with every turn, and with nothing else of the page", async () => {
    const made = (await p.api("POST", "/api/conversations", {})).data.id;
    await p.api("POST", `/api/conversations/${made}/turns`, { text: "question number 1" }, { Accept: "application/json" });
    await until("it has ended", async () => !(await p.api("GET", "/api/conversations/" + made)).data.turnId);
    const file = (await p.api("GET", `/api/conversations/${made}/export?format=json`)).data;
    const one = JSON.stringify(file.turns[0]);
    file.turns = Array.from({ length: 120 }, (_, i) => {
      const t = JSON.parse(one.replaceAll("question number 1", "question number " + (i + 1)));
      [t.seq, t.id] = [i + 1, t.id.slice(0, -5) + String(i).padStart(5, "0")];
      for (const m of t.messages) if (m.message) m.message.turnId = t.id;
      return t;
    });
    const long = (await p.api("POST", "/api/conversations/import", file)).data.id;
    await p.stop();
    await p.start();
    const page = await p.page("/chat/" + long);
    await id(page, "turn").first().waitFor();
    await until("the page shows a part of it", async () => (await id(page, "turn").count()) < 120);
    // What stands on the paper is what stands in the page when the browser is asked to print.
    await page.evaluate(() => {
      const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().height > 0;
      globalThis.print = () => {
        const all = (name) => [...document.querySelectorAll(`[data-testid="${name}"]`)].filter(shown);
        const log = document.querySelector('[data-testid="chat-log"]');
        globalThis.paper = {
          asked: all("question").map((e) => /question number (\d+)/.exec(e.textContent)?.[1]),
          answers: all("answer").length,
          away: ["nav-home", "search-open", "model-pill", "composer", "chat-input", "chats-search", "chat-row", "context-toggle", "answer-copy", "turn-retry", "jump"].filter((name) => all(name).length > 0),
          clipped: getComputedStyle(log).overflowY !== "visible" || log.scrollHeight - log.clientHeight > 1,
          background: getComputedStyle(document.documentElement).backgroundColor,
        };
      };
    });
    await id(page, "chat-more").click();
    await id(page, "chat-print").waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.evaluate(() => document.querySelector('[data-testid="chat-print"]').click()); // no button is on the paper
    const paper = await until("it is printed", () => page.evaluate(() => globalThis.paper));
    equal(paper.asked, Array.from({ length: 120 }, (_, i) => String(i + 1)), "the questions, in their order");
    equal(paper.answers, 120, "answers");
    equal(paper.away, [], "parts of the page beside it");
    equal(paper.clipped, false, "a part that is cut off");
    equal(paper.background, "rgb(255, 255, 255)", "the paper");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await until("the page is as it was", async () => (await id(page, "turn").count()) < 120);
    await id(page, "chat-input").waitFor();
    // Whoever presses the key gets the same, also out of the box in which questions are written.
    await page.reload();
    await id(page, "turn").first().waitFor();
    await page.evaluate(() => {
      globalThis.print = () => (globalThis.printed = document.querySelectorAll('[data-testid="turn"]').length);
    });
    await id(page, "chat-input").focus();
    await page.keyboard.press("Control+p");
    equal(await until("the key prints", () => page.evaluate(() => globalThis.printed)), 120, "turns");
    await until("the page is as it was", async () => (await id(page, "turn").count()) < 120);
    // The menu of the browser waits for nothing: it prints what was read, all of that, and says what is not there.
    await page.reload();
    await id(page, "turn").first().waitFor();
    await page.evaluate(() => {
      const look = () => ({ turns: document.querySelectorAll('[data-testid="turn"]').length, note: document.querySelector('[data-testid="print-part"]')?.textContent ?? "" });
      globalThis.menu = [];
      addEventListener("beforeprint", () => globalThis.menu.push(look()));
    });
    await page.pdf();
    await same(() => page.evaluate(() => globalThis.menu), [{ turns: 30, note: "A part of the conversation: 30 of 120 questions. Print in the menu of the page prints all of them." }], "what was read");
    await id(page, "chat-log").focus();
    await page.keyboard.press("Home");
    await until("earlier turns are read", async () => (await id(page, "turn").count()) > 30);
    await id(page, "chat-log").evaluate((e) => (e.scrollTop = 0));
    await until("and more", async () => (await id(page, "turn").count()) >= 90);
    const top = () => page.evaluate(() => { const log = document.querySelector('[data-testid="chat-log"]').getBoundingClientRect().top; const t = [...document.querySelectorAll('[data-testid="turn"]')].find((e) => e.getBoundingClientRect().bottom > log); return t.dataset.seq; });
    const before = await still(async () => [await id(page, "turn").count(), await top()]);
    await page.pdf();
    await same(async () => [await id(page, "turn").count(), await top()], before, "the place is kept");
    await until("all that was read is printed", async () => (await page.evaluate(() => globalThis.menu.at(-1).turns)) >= before[0]);
    await page.context().close();
  });

  await p.stop();
}
