// A registry of models on this machine, as Ollama asks one: manifests, and blobs
// that it redirects to another name, where parts of them are served. It serves what
// the folder of an Ollama server has, in its own time.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

export class ModelRegistry {
  constructor(folder) {
    this.folder = folder;
    this.pause = 0; // ms between two pieces of a blob
    this.served = 0; // bytes of blobs
    this.server = http.createServer((req, res) => this.answer(req, res).catch(() => res.destroy()));
  }
  async start() {
    await new Promise((r) => this.server.listen(0, "127.0.0.1", r));
    this.port = this.server.address().port;
    this.at = `http://127.0.0.1:${this.port}`;
    return this;
  }
  async answer(req, res) {
    const manifest = /^\/v2\/library\/([a-z-]+)\/manifests\/([a-z0-9.]+)$/.exec(req.url);
    if (manifest) {
      const file = path.join(this.folder, "manifests/registry.ollama.ai/library", manifest[1], manifest[2]);
      if (!fs.existsSync(file)) return void res.writeHead(404).end("{}");
      res.setHeader("Content-Type", "application/vnd.docker.distribution.manifest.v2+json");
      return void res.end(fs.readFileSync(file));
    }
    const blob = /^\/(v2\/library\/[a-z-]+\/blobs|data)\/sha256:([0-9a-f]{64})$/.exec(req.url);
    const file = blob && path.join(this.folder, "blobs", "sha256-" + blob[2]);
    if (!file || !fs.existsSync(file)) return void res.writeHead(404).end("{}");
    const all = fs.readFileSync(file);
    if (req.method === "HEAD") return void res.writeHead(200, { "Content-Length": all.length }).end();
    if (blob[1] !== "data") return void res.writeHead(307, { Location: `http://localhost:${this.port}/data/sha256:${blob[2]}` }).end();
    const range = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? "");
    const from = range ? Number(range[1]) : 0;
    const to = range ? Math.min(Number(range[2]) + 1, all.length) : all.length;
    res.writeHead(range ? 206 : 200, { "Content-Length": to - from, ...(range ? { "Content-Range": `bytes ${from}-${to - 1}/${all.length}` } : {}) });
    const piece = Math.max(1024, Math.ceil((to - from) / 20));
    for (let at = from; at < to; at += piece) {
      const part = all.subarray(at, Math.min(at + piece, to));
      this.served += part.length;
      res.write(part);
      if (this.pause) await new Promise((r) => setTimeout(r, this.pause));
    }
    res.end();
  }
  stop() {
    this.server.closeAllConnections();
    return new Promise((r) => this.server.close(r));
  }
}
