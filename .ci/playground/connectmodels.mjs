// Model servers, connected at the page by clicks: a key that is wrong, one that is right,
// a server of one's own whose models are unloaded and deleted, and the picker of a chat.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { check, equal, id, Playground, scenario, shot, until } from "./world.mjs";
import { close, say } from "./chat.mjs";
import { FakeModel } from "./fakemodel.mjs";

const listen = (server) => new Promise((r) => server.listen(0, "127.0.0.1", () => r("http://127.0.0.1:" + server.address().port)));

/** keyed puts a server that wants a key before a model, and notes the keys that it was sent. */
async function keyed(model, key) {
  const sent = new Set();
  const server = http.createServer((req, res) => {
    sent.add(req.headers.authorization ?? "");
    if (req.headers.authorization !== "Bearer " + key) return void res.writeHead(401, { "Content-Type": "application/json" }).end('{"error":{"message":"Incorrect API key provided"}}');
    model.server.emit("request", req, res);
  });
  return { server, sent, url: (await listen(server)) + "/v1" };
}

/** ownServer answers as Ollama does, with two models of which one is loaded. */
async function ownServer() {
  const own = { models: ["tiny:latest", "embed:latest"], loaded: true };
  own.server = http.createServer((req, res) => {
    let body = "";
    req.on("data", (d) => (body += d));
    req.on("end", () => {
      const name = body ? (JSON.parse(body).model ?? JSON.parse(body).name) : "";
      const answers = {
        "/api/tags": () => ({ models: own.models.map((n) => ({ name: n, size: 523_000_000 })) }),
        "/api/ps": () => ({ models: own.loaded ? [{ name: "tiny:latest", size: 700_000_000 }] : [] }),
        "/api/show": () => ({ capabilities: [name === "embed:latest" ? "embedding" : "completion"] }),
        "/api/generate": () => ((own.loaded = false), { model: name, done: true, done_reason: "unload" }),
        "/api/delete": () => ((own.models = own.models.filter((n) => n !== name)), {}),
        "/api/chat": () => ({ model: name, message: { role: "assistant", content: "from the own server" }, done: true, done_reason: "stop" }),
      };
      res.end(JSON.stringify(answers[req.url]?.() ?? {}) + "\n");
    });
  });
  own.url = await listen(own.server);
  return own;
}

export async function connectModels() {
  const model = await new FakeModel().start();
  model.say = () => ["from work"];
  const other = await new FakeModel().start();
  const strangers = new Set();
  other.server.on("request", (r) => strangers.add(r.headers.authorization ?? ""));
  const work = await keyed(model, "right-key-0815");
  const own = await ownServer();
  const p = new Playground("connectmodels", { env: { OLLAMA_HOST: "127.0.0.1:9" } });
  const file = path.join(p.home, "localpass.json");
  fs.writeFileSync(file, '{\n  // mine\n  "chat": {"rounds": 7} // few\n}\n');
  await p.start();

  await scenario("connect", "a model server is connected with a key, answers at once, and keeps its key for itself", async () => {
    const page = await p.page("/settings/models");
    await id(page, "model-connect").click();
    await id(page, "server-kind").selectOption("compatible");
    await id(page, "server-name").fill("work");
    await id(page, "server-address").fill(work.url);
    await id(page, "server-key").fill("wrong-key-0815");
    await id(page, "server-connect").click();
    await until("the key is refused, and what to do", async () => /refused the key \(HTTP 401\)\..*Copy the key again/.test((await id(page, "server-result").textContent()).replace(/\s+/g, " ")));
    await shot(page, "model-connect-refused");
    check(!fs.readFileSync(file, "utf8").includes("work"), "a server that fails the test is not stored");
    await id(page, "server-key").fill("right-key-0815");
    await id(page, "server-test").click();
    await id(page, "server-result", '[data-ok="true"]').waitFor();
    await shot(page, "model-connect");
    await id(page, "server-connect").click();
    await until("it is chosen", async () => /work · fake/.test(await id(page, "model-now").textContent()));
    await shot(page, "model-connected");
    const text = fs.readFileSync(file, "utf8");
    check(text.includes("${LOCALPASS_MODEL_KEY_WORK}") && text.includes('// mine\n  "chat": {"rounds": 7}, // few\n'), "the file: " + text);
    check(!(await page.content()).includes("-0815"), "a key is at the page");

    await id(page, "provider-edit", '[data-id="work"]').click();
    await id(page, "server-address").fill(other.url);
    await id(page, "server-connect").click();
    await until("another server wants the key anew", async () => /enter the key for the new address/.test(await id(page, "model-server-dialog").textContent()));
    await id(page, "model-server-dialog-close").click();
    await page.goto(p.url + "/chat");
    await say(page, "who are you");
    await until("work answers", async () => /from work/.test(await id(page, "answer").last().textContent()));
    equal([...work.sent].sort(), ["", "Bearer right-key-0815", "Bearer wrong-key-0815"], "keys that work was sent");
    equal([...strangers], [], "keys that another server was sent");
    await close(page);
  });

  await scenario("own", "models of a server of one's own show their sizes, are unloaded and deleted", async () => {
    const page = await p.page("/settings/models");
    await id(page, "model-connect").click();
    await id(page, "server-kind").selectOption("ollama");
    await id(page, "server-address").fill(own.url);
    await id(page, "server-use").uncheck();
    await id(page, "server-connect").click();
    const row = id(page, "model-row", '[data-id="my-ollama/tiny:latest"]');
    await until("its size", async () => /523 MB|499 MiB|498/.test(await row.locator('[data-testid="model-size"]').textContent()));
    await shot(page, "model-sizes");
    await id(page, "model-unload", '[data-id="my-ollama/tiny:latest"]').click();
    await until("it is unloaded", async () => !own.loaded && (await id(page, "model-unload").count()) === 0);
    await id(page, "model-delete", '[data-id="my-ollama/embed:latest"]').click();
    await id(page, "model-delete-confirm").click();
    await until("it is deleted", async () => own.models.length === 1 && (await id(page, "model-stored").count()) === 0);
    await close(page);
  });

  await scenario("picker", "a chat is begun with another model, and goes on in a copy with that of another server", async () => {
    const page = await p.page("/chat");
    await id(page, "chat-pick-model").click();
    await shot(page, "model-picker");
    await id(page, "pick-model", '[data-id="my-ollama/tiny:latest"]').click();
    await until("it is shown", async () => /tiny:latest/.test(await id(page, "chat-pick-model").textContent()));
    await say(page, "who are you");
    await until("the own server answers", async () => /from the own server/.test(await id(page, "answer").last().textContent()));
    const first = page.url();
    await id(page, "chat-pick-model").click();
    await id(page, "pick-model", '[data-id="work/fake"]').click();
    await until("a copy", async () => page.url() !== first && /fake/.test(await id(page, "chat-pick-model").textContent()));
    await say(page, "and now");
    await until("work answers", async () => /from work/.test(await id(page, "answer").last().textContent()));
    await close(page);
  });

  await scenario("disconnect", "a model server is removed, and its key with it", async () => {
    const page = await p.page("/settings/models");
    await id(page, "provider-remove", '[data-id="work"]').waitFor();
    check(await id(page, "provider-remove", '[data-id="work"]').isDisabled(), "what answers now can be removed");
    await id(page, "model-use", '[data-id="my-ollama/tiny:latest"]').click();
    await until("it can go", async () => !(await id(page, "provider-remove", '[data-id="work"]').isDisabled()));
    await id(page, "provider-remove", '[data-id="work"]').click();
    await id(page, "server-remove-confirm").click();
    await until("it is gone", async () => (await id(page, "provider", '[data-id="work"]').count()) === 0);
    const text = fs.readFileSync(file, "utf8");
    check(!text.includes("work") && text.includes("// few"), "the file: " + text);
    equal((await p.api("GET", "/api/secrets")).data.items.filter((s) => s.origin === "stored"), [], "stored keys");
    await close(page);
  });

  await p.stop();
  model.stop();
  other.stop();
  for (const s of [work.server, own.server]) {
    s.closeAllConnections();
    s.close();
  }
}
