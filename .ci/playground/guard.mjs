import net from "node:net";
import os from "node:os";
import { spawnSync } from "node:child_process";
import { binary, check, equal, id, Playground, same, scenario, slack, until } from "./world.mjs";

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
    for (const [method, at] of [["PUT", "/api/secrets/X"], ["POST", "/api/storage/reset"], ["DELETE", "/api/storage/pending"], ["POST", "/api/conversations"]]) equal((await p.api(method, at, {}, { Origin: "http://evil.test" })).status, 403, "a foreign origin at " + at);
    equal((await p.api("GET", "/api/storage/backup", undefined, { "Sec-Fetch-Site": "cross-site" })).status, 403, "a backup for another site");
    equal((await fetch(p.url + "/api/storage/reset", { method: "POST", headers: { "Content-Type": "text/plain" }, body: '{"confirm":"reset"}' })).status, 415, "a form of a foreign page");
    const u = new URL(p.url);
    for (const at of ["/", "/api/home", "/api/events", "/assets/x", "/mcp", "/healthz"]) check(/ 421 /.test(await raw(u.hostname, u.port, `GET ${at} HTTP/1.1\r\nHost: evil.test\r\n\r\n`)), "Host evil.test at " + at);
    await same(async () => (await p.api("GET", "/api/tools?source=mine")).data.total, before, "tools");
  });
  await p.stop();

  await scenario(98, "off loopback a token is wanted, and leaves no trace in the address", async () => {
    const out = spawnSync(binary, ["-addr", "0.0.0.0:0", "-home", p.home], { encoding: "utf8", timeout: 60_000 });
    check(out.status !== 0 && /-token/.test(out.stderr), "it names the flag: " + out.stderr);
    const address = Object.values(os.networkInterfaces()).flat().find((i) => i.family === "IPv4" && !i.internal)?.address ?? "127.0.0.1";
    const token = "scenario-token-0123456789";
    const q = new Playground("token", { addr: address + ":0", args: ["-insecure", "-token", token] });
    await q.start();
    await same(async () => (await q.api("GET", "/api/home")).status, 401, "without it");
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

  await scenario("shutdown", "an open stream does not hold up the end", async () => {
    const q = await new Playground("end").start();
    const page = await q.page("/tools");
    await id(page, "empty-new").first().waitFor();
    const began = Date.now();
    equal(await q.stop(), 0, "exit code");
    check(Date.now() - began < 4000 * slack, `it took ${Date.now() - began} ms`);
    await close(page);
  });
}
