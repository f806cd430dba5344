// An MCP server that wants a token, and its authorization server, where a person
// says yes or no on a page. It checks what it is sent: registration, PKCE, state,
// the resource, the redirect address, and that a code is used once.
import crypto from "node:crypto";
import http from "node:http";

export async function oauthServer({ life = 3600 } = {}) {
  const clients = new Map(); // id → redirect addresses
  const codes = new Map(); // code → what was asked for
  const tokens = new Set();
  const refresh = new Set();
  const seen = [];
  let base = "";
  const json = (res, status, body, headers = {}) => res.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers }).end(JSON.stringify(body));
  const give = (res, scope) => {
    const access = crypto.randomBytes(16).toString("hex");
    const again = crypto.randomBytes(16).toString("hex");
    tokens.add(access);
    refresh.add(again);
    json(res, 200, { access_token: access, token_type: "Bearer", expires_in: life, refresh_token: again, scope });
  };
  const mcp = (req, res, body) => {
    if (req.method !== "POST") return res.writeHead(405).end();
    if (!tokens.has((req.headers.authorization ?? "").replace(/^Bearer /, "")))
      return json(res, 401, {}, { "WWW-Authenticate": `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="notes.read"` });
    const m = JSON.parse(body);
    if (m.id === undefined) return res.writeHead(202).end();
    const results = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } },
      "tools/list": { tools: [{ name: "read_note", description: "Reads a note.", inputSchema: { type: "object", properties: {} } }] },
      ping: {},
    };
    if (results[m.method]) return json(res, 200, { jsonrpc: "2.0", id: m.id, result: results[m.method] });
    json(res, 200, { jsonrpc: "2.0", id: m.id, error: { code: -32601, message: "no such method" } });
  };
  const token = (res, form) => {
    if (form.get("grant_type") === "refresh_token") return refresh.delete(form.get("refresh_token")) ? give(res, "notes.read") : json(res, 400, { error: "invalid_grant" });
    const asked = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const challenge = crypto.createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    const good = asked && asked.get("redirect_uri") === form.get("redirect_uri") && asked.get("resource") === form.get("resource") && asked.get("client_id") === form.get("client_id") && asked.get("code_challenge") === challenge;
    return good ? give(res, asked.get("scope") ?? "") : json(res, 400, { error: "invalid_grant" });
  };
  const consent = (res, q) => {
    const known = clients.get(q.get("client_id"));
    if (!known?.includes(q.get("redirect_uri")) || q.get("code_challenge_method") !== "S256" || q.get("response_type") !== "code" || q.get("resource") !== base + "/mcp") return res.writeHead(400).end("not what was registered");
    const code = crypto.randomBytes(12).toString("hex");
    codes.set(code, q);
    const to = (more) => {
      const u = new URL(q.get("redirect_uri"));
      for (const [k, v] of Object.entries({ state: q.get("state"), iss: base, ...more })) u.searchParams.set(k, v);
      return u.href.replaceAll("&", "&amp;");
    };
    res.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(`<!doctype html><title>Notes</title><h1>Let the playground read your notes?</h1><a id="allow" href="${to({ code })}">Allow</a> <a id="deny" href="${to({ error: "access_denied" })}">Deny</a>`);
  };
  const server = http.createServer((req, res) => {
    let body = "";
    req.on("data", (d) => (body += d));
    req.on("end", () => {
      const u = new URL(req.url, base);
      seen.push(req.method + " " + u.pathname);
      switch (u.pathname) {
        case "/mcp":
          return mcp(req, res, body);
        case "/.well-known/oauth-protected-resource/mcp":
          return json(res, 200, { resource: base + "/mcp", authorization_servers: [base], scopes_supported: ["notes.read"] });
        case "/.well-known/oauth-authorization-server":
          return json(res, 200, { issuer: base, authorization_endpoint: base + "/authorize", token_endpoint: base + "/token", registration_endpoint: base + "/register", revocation_endpoint: base + "/revoke",
            code_challenge_methods_supported: ["S256"], response_types_supported: ["code"], grant_types_supported: ["authorization_code", "refresh_token"], token_endpoint_auth_methods_supported: ["none"], authorization_response_iss_parameter_supported: true });
        case "/register": {
          const id = "client-" + clients.size;
          clients.set(id, JSON.parse(body).redirect_uris);
          return json(res, 201, { client_id: id, redirect_uris: clients.get(id) });
        }
        case "/authorize":
          return consent(res, u.searchParams);
        case "/token":
          return token(res, new URLSearchParams(body));
        case "/revoke":
          tokens.delete(new URLSearchParams(body).get("token"));
          refresh.delete(new URLSearchParams(body).get("token"));
          return res.writeHead(200).end();
        default:
          return res.writeHead(404).end();
      }
    });
  });
  await new Promise((r) => server.listen(0, "127.0.0.1", r));
  base = `http://127.0.0.1:${server.address().port}`;
  return { url: base + "/mcp", issuer: base, seen, tokens, close: () => (server.closeAllConnections(), server.close()) };
}
