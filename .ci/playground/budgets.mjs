// The budgets of the playground, each through the real server and page.
//
//   node budgets.mjs PLAYGROUND WORKDIR [UPSTREAM.js] [NUMBER,NUMBER…]
//
// LOCALPASS_BUDGET_RUNS=n makes each figure the median of n runs in place of five.
import fs from "node:fs";
import http from "node:http";
import { browser, check, finish, id, Playground, spec, until, violations } from "./world.mjs";
import { budget, counted, framesOf, percentile, slow, watcher } from "./gauge.mjs";
import { FakeModel } from "./fakemodel.mjs";

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

/** fresh is a page with nothing in its cache, which has not gone anywhere yet. */
async function fresh(rate) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (e) => violations.push(`${page.url()}: ${e.message.slice(0, 300)}`));
  await page.addInitScript(watcher);
  const cdp = await slow(page, rate);
  return { page, cdp, close: () => context.close() };
}

/** opened is how long it takes from navigation until something stands on the screen, in ms. */
async function opened(page, url, selector) {
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(selector).first().waitFor();
  return page.evaluate(async (s) => (await globalThis.gauge.whenPainted(s)) - performance.timeOrigin, selector);
}

/** from is how long it takes from a click until something stands on the screen, in ms. */
const after = (page, click, selector) =>
  page.evaluate(async ([c, s]) => {
    const began = performance.timeOrigin + performance.now();
    document.querySelector(c).click();
    return (await globalThis.gauge.whenPainted(s)) - began;
  }, [click, selector]);

const at = (name, more = "") => `[data-testid="${name}"]${more}`;

/** rest waits until the page has had nothing to do for a while. */
const rest = (page) => page.evaluate(() => new Promise((resolve) => {
  let quiet = 0;
  let last = performance.now();
  const step = (now) => {
    quiet = now - last < 40 ? quiet + 1 : 0;
    last = now;
    if (quiet >= 12) resolve();
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}));

/** busiest is the longest task of the page's main thread while something is done, in ms. */
async function busiest(page, run) {
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "blink.user_timing"] });
  let events;
  try {
    await page.evaluate(() => performance.mark("gauge-begin"));
    await run();
    await page.evaluate(() => performance.mark("gauge-end"));
  } finally {
    events = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
  }
  const begin = events.find((e) => e.name === "gauge-begin");
  const end = events.find((e) => e.name === "gauge-end");
  check(begin && end, "the trace has its marks");
  const tasks = events.filter((e) => e.pid === begin.pid && e.tid === begin.tid && e.ph === "X" && /RunTask$/.test(e.name) && e.ts > begin.ts && e.ts < end.ts);
  check(tasks.length > 0, "the trace has tasks");
  return Math.max(...tasks.map((e) => e.dur)) / 1000;
}

// --- pages

async function pages() {
  const p = await new Playground("budget-pages").start();

  await budget("home", "home can be used soon after it is asked for", [["home, interactive", "ms", 400, 1500]], async (rate) => {
    const { page, close } = await fresh(rate);
    const took = await opened(page, p.url + "/", at("tour-go"));
    await close();
    return [took];
  });

  await budget("ninth", "the ninth tab of a browser is there as soon as the first", [["home in a ninth tab, interactive", "ms", 2000, null]], async (rate) => {
    const { page, close } = await fresh(rate);
    await page.goto(p.url + "/tools");
    for (let i = 0; i < 7; i++) await (await page.context().newPage()).goto(p.url + "/tools", { waitUntil: "commit" });
    const ninth = await page.context().newPage();
    await ninth.addInitScript(watcher);
    const took = await opened(ninth, p.url + "/", at("tour-go"));
    await close();
    return [took];
  });

  await counted("requests", "few and small requests come before a page can be used", async () => {
    const out = [];
    const tool = await p.tool(spec("measured"));
    const look = await fresh(1);
    await look.page.goto(p.url + "/");
    await id(look.page, "tour-go").first().waitFor();
    const named = await look.page.locator('a[data-testid^="nav-"]').evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    await look.close();
    check(named.length >= 5, "the ways that the page names: " + named.join(" "));
    for (const route of new Set([...named, "/tools/" + tool.id, "/tools/new", "/tools/import", "/servers/builtin", "/servers/new", "/approvals/policies", "/settings/models"])) {
      const limit = route.startsWith("/chat") ? 120 : 80;
      const { page, cdp, close } = await fresh(1);
      await cdp.send("Network.enable");
      const files = new Map();
      cdp.on("Network.requestWillBeSent", (e) => files.set(e.requestId, { path: new URL(e.request.url).pathname, initiated: e.type }));
      // What the files weigh, as the budget has it: the headers of an answer are no part of them.
      cdp.on("Network.dataReceived", (e) => files.has(e.requestId) && (files.get(e.requestId).got = (files.get(e.requestId).got ?? 0) + e.encodedDataLength));
      cdp.on("Network.loadingFinished", (e) => files.has(e.requestId) && (files.get(e.requestId).bytes = files.get(e.requestId).got || e.encodedDataLength));
      await page.goto(p.url + route, { waitUntil: "commit" });
      await id(page, "page-title").waitFor();
      await page.evaluate(() => globalThis.gauge.whenPainted('[data-testid="page-title"]'));
      const own = [...files.values()].filter((f) => !f.path.startsWith("/api/") && !/icon|favicon/.test(f.path));
      // The font replaces another one when it is there: the page does not wait for it.
      const awaited = own.filter((f) => f.initiated !== "Font");
      out.push(["requests for files, " + route.replace(tool.id, "{id}"), "", awaited.length, 6]);
      // What is drawn with comes later, in chunks of its own.
      const first = own.filter((f) => /^Script$|^Stylesheet$|^Font$/.test(f.initiated) && !/codemirror|chart|uplot/i.test(f.path));
      await until("they are all there", () => first.every((f) => f.bytes !== undefined));
      out.push(["first load, " + route.replace(tool.id, "{id}"), "kB", first.reduce((n, f) => n + f.bytes, 0) / 1000, limit]);
      await close();
    }
    return out;
  });

  const many = await new Playground("budget-many").start();
  const specs = [];
  for (let i = 0; i < 1000; i++) specs.push(spec("tool" + String(i).padStart(4, "0")));
  check((await many.api("POST", "/api/tools/import", { toolSpecs: specs })).status < 300, "a thousand tools are stored");

  await budget("list", "a thousand tools are on the screen at once", [["1,000 tools, first paint", "ms", 100, 600]], async (rate) => {
    const { page, close } = await fresh(rate);
    await page.goto(many.url + "/servers");
    await id(page, "page-title").waitFor();
    await rest(page);
    // Its code is there, as after the first look at it: what counts is the list.
    await id(page, "nav-tools").click();
    await id(page, "tool-row").first().waitFor();
    await id(page, "nav-servers").click();
    await id(page, "tool-row").first().waitFor({ state: "detached" });
    await rest(page);
    const took = await after(page, at("nav-tools"), at("tool-row"));
    await close();
    return [took];
  });

  await budget("filter", "a letter in the search of a thousand tools is answered at once", [["filter, keystroke", "ms", 100, 200]], async (rate) => {
    const { page, close } = await fresh(rate);
    await page.goto(many.url + "/tools?source=mine&sort=name");
    await until("all are loaded", () => page.evaluate(() => document.querySelector('[data-testid="tools-list"]')?.scrollHeight > 40000));
    await rest(page);
    await page.evaluate(() => {
      globalThis.gauge.keys = [];
      new PerformanceObserver((l) => l.getEntries().forEach((e) => globalThis.gauge.keys.push(e.duration))).observe({ type: "event", durationThreshold: 16 });
    });
    const began = Date.now();
    await id(page, "tools-search").focus();
    for (const letter of "tool05") {
      await page.keyboard.press(letter);
      await sleep(250);
    }
    await until("a hundred are left", async () => /^100 of/.test(await id(page, "tools-count").textContent()));
    await rest(page);
    const keys = await page.evaluate(() => globalThis.gauge.keys);
    const frames = await framesOf(page, began);
    await close();
    return [Math.max(0, ...keys, ...frames)];
  });
  await many.stop();
  await p.stop();
}

// --- a long conversation

/** grown is a conversation of so many turns, made of one that was had. */
async function grown(p, turns) {
  const made = (await p.api("POST", "/api/conversations", {})).data.id;
  await p.api("POST", `/api/conversations/${made}/turns`, { text: "question number 1" }, { Accept: "application/json" });
  await until("it has ended", async () => !(await p.api("GET", "/api/conversations/" + made)).data.turnId);
  const file = (await p.api("GET", `/api/conversations/${made}/export?format=json`)).data;
  const one = JSON.stringify(file.turns[0]);
  file.conversation.title = "Ten thousand";
  file.turns = Array.from({ length: turns }, (_, i) => {
    const t = JSON.parse(one.replaceAll("question number 1", "question number " + (i + 1)));
    t.seq = i + 1;
    t.id = t.id.slice(0, -5) + String(i).padStart(5, "0");
    for (const m of t.messages) if (m.message) m.message.turnId = t.id;
    return t;
  });
  const imported = await p.api("POST", "/api/conversations/import", file);
  check(imported.status === 201, "the import: " + JSON.stringify(imported.data).slice(0, 300));
  return imported.data.id;
}

const answerText = "## An answer\n\nIt has *some* structure: a [link](http://host.test/x), `code` and\n\n1. one thing\n2. another\n\n```js\nconst a = 1;\nconsole.log(a);\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAnd a last paragraph that tells what was meant by all of this.";

async function history(p, model) {
  model.say = () => [answerText];
  model.rate = 0;
  const long = await grown(p, 5000);
  let seq = 5000;

  let nodes = 0;
  await budget("history", "10,000 messages open at their end", [["10,000 messages, open", "ms", 300, 1500], ["10,000 messages, elements", "", 6000, 6000]], async (rate) => {
    const { page, close } = await fresh(rate);
    await page.goto(p.url + "/chat");
    await id(page, "chat-input").waitFor();
    await id(page, "chat-row").first().waitFor();
    await rest(page);
    const took = await after(page, at("chat-row", `[data-id="${long}"] a, [data-testid="chat-row"][data-id="${long}"]`), at("turn", `[data-seq="${seq}"]`));
    nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    await close();
    return [took, nodes];
  });

  await budget("append", "a message more in 10,000 costs the page little", [["10,000 messages, longest task of one more", "ms", 30, 120]], async (rate) => {
    const { page, close } = await fresh(rate);
    await page.goto(p.url + "/chat/" + long);
    await id(page, "turn", `[data-seq="${seq}"]`).waitFor();
    await rest(page);
    seq++;
    const longest = await busiest(page, async () => {
      // Of another program: what the page does is to show it.
      await p.api("POST", `/api/conversations/${long}/turns`, { text: "question number " + seq }, { Accept: "application/json" });
      await id(page, "turn", `[data-seq="${seq}"][data-status="completed"]`).waitFor();
      await rest(page);
    });
    await close();
    return [longest];
  });
}

// --- a stream of 200 tokens a second

/** prose is Markdown of some length, in pieces of about four letters: tokens. */
function prose(length) {
  const words = "the tool reads a file and counts what it finds there before it answers with a table of words and numbers that people can read".split(" ");
  const blocks = [];
  for (let n = 0, size = 0; size < length; n++) {
    const line = (count) => Array.from({ length: count }, (_, i) => words[(n * 7 + i * 3) % words.length]).join(" ");
    const block = [
      () => `## Part ${n}: ${line(4)}\n\n`,
      () => `It is **said** that ${line(40)}, see [there](http://host.test/${n}) or \`call(${n})\`.\n\n`,
      () => `- ${line(8)}\n- ${line(10)}\n- ${line(6)}\n\n`,
      () => `${line(60)}.\n\n`,
      () => "```js\nfunction part" + n + "(n) {\n  const found = read(n); // " + line(5) + "\n  return found.length;\n}\n```\n\n",
      () => `| ${line(2)} | ${line(2)} |\n|---|---|\n| ${n} | ${n * 2} |\n| ${line(3)} | ${n} |\n\n`,
    ][n % 6]();
    blocks.push(block);
    size += block.length;
  }
  return blocks.join("");
}

const tokens = (text) => text.match(/[\s\S]{1,4}/g);

/** streamed has the model say much at once, then the rest by 200 tokens a second, and gives the frames of that. */
async function streamed(p, model, rate, lead, text) {
  const pieces = lead.match(/[\s\S]{1,1000}/g) ?? [];
  model.say = () => [...pieces, ...tokens(text)];
  Object.assign(model, { rate: 200, lead: pieces.length, paced: 0 });
  const { page, close } = await fresh(rate);
  await page.goto(p.url + "/chat");
  await id(page, "chat-input").waitFor();
  await rest(page);
  await id(page, "chat-input").fill("stream");
  await id(page, "chat-send").click();
  await until("the turn ends", () => page.evaluate(() => document.querySelector('[data-testid="turn"]')?.dataset.status === "completed"));
  await rest(page);
  const frames = await framesOf(page, model.paced);
  const shown = (await id(page, "answer").last().textContent()).replace(/\s/g, "").length;
  check(shown > (lead + text).replace(/[\s#*|`()\-[\]]/g, "").length * 0.7, "all of the text is there: " + shown);
  await close();
  model.rate = 0;
  return frames;
}

async function streams(p, model) {
  // A list beside the answer, as after some weeks.
  for (let i = 0; i < 100; i++) await p.api("POST", "/api/conversations", { title: "Conversation " + i });
  for (const [name, kilobytes] of [["stream16", 16], ["stream38", 38]]) {
    const whole = prose(kilobytes * 1000);
    const text = whole.slice(-1600); // two seconds of it
    await budget(name, `200 tokens a second behind ${kilobytes} kB of text`, [[`stream at ${kilobytes} kB, p95 of frames`, "ms", 34, 120], [`stream at ${kilobytes} kB, frames over 50 ms`, "%", 1, null], [`stream at ${kilobytes} kB, longest frame`, "ms", null, 200]], async (rate) => {
      const frames = await streamed(p, model, rate, whole.slice(0, -1600), text);
      return [percentile(frames, 0.95), (frames.filter((f) => f > 50).length / frames.length) * 100, Math.max(...frames)];
    });
  }
  const code = Array.from({ length: 5000 }, (_, i) => `const line${i} = compute(${i}, "text"); // a comment\n`);
  await budget("code", "a code block of 5,000 lines that still grows", [["5,000 lines of code, longest frame", "ms", 100, null]], async (rate) => {
    const frames = await streamed(p, model, rate, "```js\n" + code.slice(0, 4970).join(""), code.slice(4970).join("") + "```\n");
    return [Math.max(...frames)];
  });
}

// --- the server with many pages that only listen

const statOf = (pid) => {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { ticks: Number(fields[11]) + Number(fields[12]), rss: Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024 };
};

function listen(url, n) {
  let events = 0;
  const requests = [];
  const ready = Array.from({ length: n }, (_, i) => new Promise((resolve, reject) => {
    const r = http.get(`${url}/api/events?client=budget-${url.length}-${Math.random().toString(36).slice(2)}-${i}`, { agent: false, headers: { Accept: "text/event-stream" } }, (res) => {
      if (res.statusCode !== 200) return reject(new Error("a stream is refused: " + res.statusCode));
      res.setEncoding("utf8");
      res.on("data", (d) => (events += d.split("\nevent: ").length - 1));
      res.on("error", () => undefined);
      resolve();
    });
    r.on("error", reject);
    requests.push(r);
  }));
  return { ready: Promise.all(ready), events: () => events, close: () => requests.forEach((r) => r.destroy()) };
}

async function server() {
  await budget("streams", "fifty pages that listen cost the server little", [["server, 50 streams and one event a second", "%", 1, null], ["server, one stream", "kB", 60, null]], async () => {
    const p = await new Playground("budget-server").start();
    const pid = p.process.pid;
    const conversation = (await p.api("POST", "/api/conversations", {})).data.id;
    const tell = async (i) => p.api("PATCH", "/api/conversations/" + conversation, { title: "Title " + i });
    for (let i = 0; i < 3; i++) (await tell(i), await sleep(200));
    await sleep(1000); // what it begins with is done
    const bare = statOf(pid).rss;
    const fifty = listen(p.url, 50);
    await fifty.ready;
    await tell(3);
    await sleep(300);
    const [began, before, heard] = [Date.now(), statOf(pid), fifty.events()];
    for (let i = 0; i < 8; i++) (await tell(i), await sleep(1000));
    const load = (statOf(pid).ticks - before.ticks) / ((Date.now() - began) / 1000); // a tick is a hundredth of a second
    await until(() => "every page heard of every event: " + (fifty.events() - heard), () => fifty.events() - heard >= 8 * 50);
    const more = listen(p.url, 150);
    await more.ready;
    await tell(100);
    await sleep(300);
    const each = (statOf(pid).rss - bare) / 200 / 1000;
    more.close();
    fifty.close();
    await p.stop();
    return [load, each];
  });
}

const model = await new FakeModel().start();
const p = await new Playground("budget-chat", { args: ["-profile", "compatible", "-base-url", model.url] }).start();
await pages();
await history(p, model);
await streams(p, model);
await p.stop();
await model.stop();
await server();
await finish();
