// Drives the example server with the official TypeScript SDK, over stdio and
// over streamable HTTP: list, call, a failing call, list_changed on publish and
// on withdraw.
//
//   node sdk.mjs MCPSERVER LIVESERVER WORKDIR
//
// MCPSERVER is the built example, LIVESERVER a server whose tools publish and
// withdraw another tool (internal/smoke/liveserver).
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [mcpserver, liveserver, work] = process.argv.slice(2);
assert.ok(work, 'usage: node sdk.mjs MCPSERVER LIVESERVER WORKDIR');
let checks = 0;
const check = (what, fn) => Promise.resolve(fn()).then(() => { checks++; console.log(`ok ${checks} - ${what}`); });

function deadline(promise, ms, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function connect(transport) {
  const client = new Client({ name: 'smoke', version: '1.0.0' }, { capabilities: {} });
  let changed = () => {};
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed());
  await client.connect(transport);
  return { client, nextChange: () => new Promise((resolve) => { changed = resolve; }) };
}

async function names(client) {
  const all = [];
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

const text = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');

// startHTTP starts a server with -http on a free port and reads where it listens.
function startHTTP(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = new Promise((resolve, reject) => {
    let seen = '';
    child.stderr.on('data', (chunk) => {
      seen += chunk;
      const m = seen.match(/listening on (http:\/\/\S+)/);
      if (m) resolve(new URL(m[1]));
    });
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${seen}`)));
  });
  return { child, url };
}

// What the server should have: the catalogue without the tools that wait for a key.
const bundled = execFileSync(mcpserver, ['tools', '-json', '-home', `${work}/tools`], { encoding: 'utf8' })
  .trim().split('\n').map((line) => JSON.parse(line)).filter((t) => !t.requires).map((t) => t.name).sort();

async function served(via, client) {
  const tools = await names(client);
  await check(`${via}: all bundled tools that need no key are listed`, () => {
    assert.deepEqual(tools.map((t) => t.name).sort(), bundled);
    assert.ok(bundled.length > 90);
    for (const t of tools) {
      assert.equal(t.inputSchema.type, 'object', t.name);
      assert.ok(t.description.length > 20, t.name);
    }
  });
  await check(`${via}: a call gives its result, structured too`, async () => {
    const result = await client.callTool({ name: 'hash', arguments: { text: 'abc', algorithm: 'sha256' } });
    assert.ok(!result.isError, text(result));
    assert.match(text(result), /ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad/);
    assert.equal(typeof result.structuredContent, 'object');
  });
  await check(`${via}: wrong arguments are refused and named`, async () => {
    let message;
    try {
      const result = await client.callTool({ name: 'hash', arguments: { text: 42 } });
      assert.ok(result.isError);
      message = text(result);
    } catch (err) {
      message = String(err);
    }
    assert.match(message, /text/);
  });
  await check(`${via}: an unknown tool is a protocol error`, async () => {
    await assert.rejects(client.callTool({ name: 'noSuchTool', arguments: {} }));
  });
}

async function changes(via, client, nextChange) {
  const before = (await names(client)).map((t) => t.name).sort();
  await check(`${via}: publish is seen at once`, async () => {
    const change = nextChange();
    await client.callTool({ name: 'publishExtra', arguments: {} });
    await deadline(change, 60000, 'list_changed after publish');
    assert.deepEqual((await names(client)).map((t) => t.name).sort(), [...before, 'extra'].sort());
    assert.equal(text(await client.callTool({ name: 'extra', arguments: { word: 'pass' } })), 'PASS');
  });
  await check(`${via}: withdraw is seen at once`, async () => {
    const change = nextChange();
    await client.callTool({ name: 'withdrawExtra', arguments: {} });
    await deadline(change, 60000, 'list_changed after withdraw');
    assert.deepEqual((await names(client)).map((t) => t.name).sort(), before);
    await assert.rejects(client.callTool({ name: 'extra', arguments: { word: 'pass' } }));
  });
}

{
  const transport = new StdioClientTransport({ command: mcpserver, args: ['-home', `${work}/stdio`, '-preset', 'everything'], stderr: 'ignore' });
  const { client } = await connect(transport);
  await served('stdio', client);
  await client.close();
}
{
  const { child, url } = startHTTP(mcpserver, ['-http', '127.0.0.1:0', '-home', `${work}/http`, '-preset', 'everything']);
  const { client } = await connect(new StreamableHTTPClientTransport(await deadline(url, 60000, 'start')));
  await served('http', client);
  await client.close();
  child.kill('SIGTERM');
}
{
  const transport = new StdioClientTransport({ command: liveserver, args: ['-home', `${work}/live-stdio`], stderr: 'inherit' });
  const { client, nextChange } = await connect(transport);
  await changes('stdio', client, nextChange);
  await client.close();
}
{
  const { child, url } = startHTTP(liveserver, ['-http', '127.0.0.1:0', '-home', `${work}/live-http`]);
  const { client, nextChange } = await connect(new StreamableHTTPClientTransport(await deadline(url, 60000, 'start')));
  await changes('http', client, nextChange);
  await client.close();
  child.kill('SIGTERM');
}
console.log(`${checks} passed, 0 failed`);
process.exit(0);
