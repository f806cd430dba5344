// Hours of use in a minute: everything that a person, a model and clients do is
// done again and again, and neither page nor server may hold more at the end than
// it did after a third of the time.
//
//   node soak.mjs PLAYGROUND WORKDIR
//
// LOCALPASS_SOAK is how many seconds it lasts, 60 when it says nothing.
import fs from "node:fs";
import http from "node:http";
import { check, Client, finish, id, Playground, scenario, spec, until } from "./world.mjs";

const seconds = Number(process.env.LOCALPASS_SOAK || 60);
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

/** held is what page and server hold, when both have come to rest. */
async function held(p, page, cdp) {
  await id(page, "nav-home").click();
  await id(page, "home-recent").waitFor();
  await sleep(1500);
  for (let i = 0; i < 3; i++) (await cdp.send("HeapProfiler.collectGarbage"), await sleep(100));
  const metrics = Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
  const status = fs.readFileSync(`/proc/${p.process.pid}/status`, "utf8");
  const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)[1]);
  return {
    heap: metrics.JSHeapUsedSize / 1e6, nodes: metrics.Nodes, listeners: metrics.JSEventListeners, documents: metrics.Documents,
    memory: (number("RssAnon") * 1024) / 1e6, threads: number("Threads"), files: fs.readdirSync(`/proc/${p.process.pid}/fd`).length,
  };
}

/** listener is an event stream that breaks off and goes on where it was. */
async function listener(url, client) {
  let last = "";
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve, reject) => {
      const r = http.get(url + "/api/events?client=" + client, { agent: false, headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) } }, (res) => {
        res.setEncoding("utf8");
        res.on("data", (d) => (last = [...d.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? last));
        res.on("error", () => undefined);
        setTimeout(() => (r.destroy(), resolve()), 120);
      });
      r.on("error", (e) => (e.code === "ECONNRESET" ? undefined : reject(e)));
    });
  }
}

const settled = (page) => until("the turn ends", async () => (await id(page, "turn").last().getAttribute("data-status")) === "completed");

async function ask(page, text) {
  const before = await id(page, "turn").count();
  await id(page, "chat-input").fill(text);
  await id(page, "chat-send").click();
  await until("the turn begins", async () => /\/chat\/c_/.test(page.url()) && (await id(page, "turn").count()) > before);
}

await scenario("soak", `${seconds} seconds of everything: page and server hold no more than before`, async () => {
  const p = await new Playground("soak", { args: ["-demo-pace", "3ms"] }).start();
  const plain = await p.live(spec("doubler"));
  const gentle = await p.tool(spec("gently", { description: "Doubles a number gently. Use it when somebody asks for gently of a number.", humanInTheLoop: { mode: "REQUIRED", promptTemplate: "May gently run?" } }));
  const approve = async () => {
    for (const q of (await p.api("GET", "/api/approvals?state=pending")).data.items) await p.api("POST", "/api/approvals/" + q.id, { decision: "approved", ...(q.confirm ? { confirmName: q.confirm } : {}) });
  };
  const meanwhile = async (work) => { // whatever asks is answered
    let done = false;
    const result = work.finally(() => (done = true));
    while (!done) (await approve(), await sleep(40));
    return result;
  };
  const run = (await meanwhile(p.api("POST", `/api/tools/${gentle.id}/runs?wait=1`, {}))).data;
  check((await p.api("POST", `/api/tools/${gentle.id}/publish`, { receipt: run.receipt.id, confirm: true })).status === 200, "it is published");

  const page = await p.page("/");
  const other = await p.page("/approvals", { context: page.context() }); // a tab that only looks
  await page.bringToFront();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.enable");
  await cdp.send("Performance.enable");

  const visit = async (path, wait) => {
    await page.evaluate((to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); }, path);
    await id(page, wait).first().waitFor();
  };
  const counts = { turns: 0, approvals: 0, runs: 0, calls: 0, pages: 0, streams: 0 };
  const round = async (n) => {
    await visit("/chat", "chat-input");
    await ask(page, "long answer 120");
    await settled(page);
    await ask(page, "Use the tool doubler with n " + n);
    await settled(page);
    await ask(page, "Use the tool gently with n " + n);
    await id(page, "approval-card").waitFor();
    await until("armed", () => id(page, "approval-approve").isEnabled());
    await id(page, "approval-approve").click();
    await settled(page);
    const conversation = new URL(page.url()).pathname.split("/")[2];
    counts.turns += 3;
    counts.approvals++;

    const client = await new Client(p.url, "soak").hello();
    const outside = (async () => {
      await client.tools();
      check(JSON.stringify(await client.call("doubler", { n })).includes(String(2 * n)), "the call is answered");
      await fetch(client.url, { method: "DELETE", headers: { "Mcp-Session-Id": client.session } });
      check((await p.api("POST", `/api/tools/${plain.id}/runs?wait=1`, {})).data.state === "passed", "the tool passes");
      await Promise.all([0, 1, 2, 3].map((i) => listener(p.url, "soak-" + i)));
    })();
    for (const [path, wait] of [["/tools", "tool-row"], ["/tools/" + plain.id, "risk-chip"], ["/servers", "page-title"], ["/servers/builtin", "endpoint-copy"], ["/approvals/history", "page-title"], ["/settings/appearance", "page-title"], ["/chat/" + conversation, "turn"], ["/", "home-recent"]]) {
      await visit(path, wait);
      counts.pages++;
    }
    await outside;
    counts.runs++;
    counts.calls++;
    counts.streams += 12;
    await p.api("DELETE", "/api/conversations/" + conversation);
  };

  const began = Date.now();
  let early = null;
  let n = 0;
  for (; Date.now() - began < seconds * 1000; n++) {
    await round(n + 1);
    if (!early && Date.now() - began > (seconds * 1000) / 3) early = await held(p, page, cdp);
  }
  const late = await held(p, page, cdp);
  console.log(`# ${n} rounds: ${Object.entries(counts).map(([k, v]) => v + " " + k).join(", ")}`);
  const limits = { heap: 10, nodes: 500, listeners: 60, documents: 3, memory: 24, threads: 6, files: 8 };
  const words = { heap: "MB of JavaScript", nodes: "nodes", listeners: "listeners", documents: "documents", memory: "MB of the server", threads: "threads of the server", files: "open files of the server" };
  const grown = [];
  for (const [what, most] of Object.entries(limits)) {
    const more = late[what] - early[what];
    console.log(`# ${words[what]}: ${early[what].toFixed(1)}, at the end ${late[what].toFixed(1)} (at most ${most} more)`);
    if (more > most) grown.push(`${words[what]} grew from ${early[what].toFixed(1)} to ${late[what].toFixed(1)}`);
  }
  check(late.heap < 120, `the page holds ${late.heap} MB`);
  check(grown.length === 0, grown.join("; "));
  await other.close();
  await page.context().close();
  await p.stop();
});
await finish();
