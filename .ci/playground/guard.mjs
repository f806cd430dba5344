import net from "node:net";
import os from "node:os";
import { spawnSync } from "node:child_process";
import { binary, check, equal, id, Playground, scenario, spec, until } from "./world.mjs";

/** raw sends a request as no browser would, and gives the first line of the answer. */
function raw(host, port, text) {
  return new Promise((resolve, reject) => {
    const s = net.connect(port, host, () => s.write(text));
    let got = "";
    s.on("data", (d) => {
      got += d;
      if (got.includes("\r\n")) {
        s.destroy();
        resolve(got.split("\r\n")[0]);
      }
    });
    s.on("error", reject);
  });
}

export async function guard() {
  const p = await new Playground("guard").start();
  const close = (page) => page.context().close();

  await scenario(95, "a secret that was saved comes back nowhere", async () => {
    const page = await p.page("/settings/secrets");
    const seen = [];
    page.on("response", async (r) => seen.push(r.url() + " " + (await r.text().catch(() => ""))));
    await id(page, "secret-name").fill("SCENARIO_KEY");
    await id(page, "secret-value").fill("never-to-be-seen-0815");
    await id(page, "secret-save").click();
    await id(page, "secret-row", '[data-id="SCENARIO_KEY"][data-origin="stored"]').waitFor();
    await p.stop();
    await p.start();
    await page.goto(p.url + "/settings/secrets");
    await id(page, "secret-row", '[data-id="SCENARIO_KEY"][data-origin="stored"]').waitFor();
    await page.waitForTimeout(300);
    check(!(await page.content()).includes("never-to-be-seen"), "not in the page");
    check(!seen.some((s) => s.includes("never-to-be-seen")), "not in an answer");
    await close(page);
  });

  await scenario(96, "other sites and other names are refused", async () => {
    const before = (await p.api("GET", "/api/tools?source=mine")).data.total;
    const bad = await p.api("POST", "/api/tools", { name: "x", code: "", codeType: "Javascript" }, { Origin: "http://evil.test" });
    equal(bad.status, 403, "a foreign origin");
    const u = new URL(p.url);
    for (const at of ["/", "/api/home", "/api/events", "/assets/x", "/mcp", "/healthz"]) check(/ 421 | 403 /.test(await raw(u.hostname, u.port, `GET ${at} HTTP/1.1\r\nHost: evil.test\r\n\r\n`)), "Host evil.test at " + at);
    equal((await p.api("GET", "/api/tools?source=mine")).data.total, before, "tools");
  });
  await p.stop();

  await scenario(98, "off loopback a token is wanted, and leaves no trace in the address", async () => {
    const out = spawnSync(binary, ["-addr", "0.0.0.0:0", "-home", p.home], { encoding: "utf8", timeout: 10_000 });
    check(out.status !== 0 && /-token/.test(out.stderr), "it names the flag: " + out.stderr);
    const address = Object.values(os.networkInterfaces()).flat().find((i) => i.family === "IPv4" && !i.internal)?.address ?? "127.0.0.1";
    const token = "scenario-token-0123456789";
    const q = new Playground("token", { addr: address + ":0", args: ["-insecure", "-token", token] });
    await q.start();
    equal((await q.api("GET", "/api/home")).status, 401, "without it");
    equal((await q.api("GET", "/api/home", undefined, { Authorization: "Bearer " + token })).status, 200, "with it");
    const page = await q.page("/login#t=" + token);
    await until("it is in", async () => new URL(page.url()).pathname === "/");
    await id(page, "home-tour").waitFor();
    check(!page.url().includes(token), "the address");
    check(!q.out.includes(token), "the log");
    if (address !== "127.0.0.1") await id(page, "exposed-banner").waitFor();
    await close(page);
    await q.stop();
  });

  await scenario("soak", "a hundred pages later the browser holds no more than at the start", async () => {
    const q = await new Playground("soak").start();
    const t = await q.tool(spec("soaked"));
    const page = await q.page("/");
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("HeapProfiler.enable");
    const heap = async () => {
      await cdp.send("HeapProfiler.collectGarbage");
      return (await cdp.send("Runtime.getHeapUsage")).usedSize / 1e6;
    };
    const stops = ["nav-tools", "nav-servers", "nav-approvals", "nav-settings", "nav-home"];
    const round = async (n) => {
      for (let i = 0; i < n; i++) {
        for (const stop of stops) {
          await id(page, stop).click();
          await page.waitForTimeout(30);
        }
        await page.evaluate((at) => { history.pushState(null, "", at); dispatchEvent(new PopStateEvent("popstate")); }, "/tools/" + t.id);
        await id(page, "risk-chip").waitFor();
        await q.api("PUT", "/api/secrets/SOAK", { value: "v" + i }); // and something happens
      }
    };
    await round(3);
    const before = await heap();
    await round(17);
    const after = await heap();
    console.log(`# heap of the page: ${before.toFixed(1)} MB, after 100 more pages ${after.toFixed(1)} MB`);
    check(after < 120 && after - before < 10, `it grew from ${before} to ${after} MB`);
    await q.stop();
    await close(page);
  });

  await scenario("shutdown", "an open stream does not hold up the end", async () => {
    const q = await new Playground("end").start();
    const page = await q.page("/tools");
    await id(page, "tool-row").first().waitFor();
    const began = Date.now();
    equal(await q.stop(), 0, "exit code");
    check(Date.now() - began < 4000, `it took ${Date.now() - began} ms`);
    await close(page);
  });
}
