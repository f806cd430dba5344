// A server that speaks as OpenAI's chat completions do, and says what a scenario
// wants: what a model says is not to be trusted.
import http from "node:http";

export class FakeModel {
  constructor() {
    this.say = () => ["hello"];
    this.pause = 0; // ms between two pieces
    this.rate = 0; // pieces a second, by the clock: a late piece delays none behind it
    this.lead = 0; // pieces before the rate counts
    this.paced = 0; // when the rate began to count, in ms since 1970
    this.cut = false; // whether it goes away in the middle
    this.server = http.createServer((req, res) => {
      if (req.url.endsWith("/models")) {
        res.setHeader("Content-Type", "application/json");
        res.end(JSON.stringify({ object: "list", data: [{ id: "fake", object: "model" }] }));
        return;
      }
      let body = "";
      req.on("data", (d) => (body += d));
      req.on("end", () => void this.answer(JSON.parse(body), res));
    });
  }
  async start() {
    await new Promise((r) => this.server.listen(this.port ?? 0, "127.0.0.1", r));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/v1`;
    return this;
  }
  async answer(request, res) {
    const last = request.messages.findLast((m) => m.role === "user");
    const text = typeof last.content === "string" ? last.content : last.content.map((c) => c.text ?? "").join("");
    res.setHeader("Content-Type", "text/event-stream");
    const send = (delta, finish = null) => res.write("data: " + JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] }) + "\n\n");
    let n = 0;
    let sent = 0;
    const pieces = this.say(text, request);
    if (this.refuse) return void res.writeHead(this.refuse.status, { "Content-Type": "application/json", ...this.refuse.headers }).end(JSON.stringify({ error: { message: this.refuse.message, type: "error" } }));
    for (const piece of pieces) {
      if (this.cut && ++n > pieces.length / 2) return void res.destroy();
      send(typeof piece === "string" ? { content: piece } : piece); // or a delta, such as one with tool_calls
      if (this.pause) await new Promise((r) => setTimeout(r, this.pause));
      if (this.rate) await this.keepPace(++sent);
    }
    send({}, this.finish ?? (pieces.some((p) => p.tool_calls) ? "tool_calls" : "stop"));
    res.write("data: " + JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }) + "\n\n");
    res.end("data: [DONE]\n\n");
  }
  async keepPace(sent) {
    const rest = (ms) => new Promise((r) => setTimeout(r, ms));
    if (sent < this.lead) return rest(20);
    if (sent === this.lead) {
      await rest(600); // what came at once is shown by then
      this.paced = Date.now();
    }
    const ahead = this.paced + ((sent - this.lead) * 1000) / this.rate - Date.now();
    if (ahead > 0) await rest(ahead);
  }
  stop() {
    this.server.closeAllConnections();
    return new Promise((r) => this.server.close(r));
  }
}
