// Holds the approval gate of the example server against the official TypeScript
// SDK, over stdio and over streamable HTTP, in both eras: the 1.x SDK, whose
// server asks while the call runs (elicitation/create), and the 2.x client, which
// is told to come back with an answer (2026-07-28). The person approves,
// declines, cancels and does not answer in time; a client that cannot ask is
// refused. The gated tool writes a line for each run, and the lines are counted.
//
//   node approve.mjs MCPSERVER WORKDIR
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHTTP } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHTTP } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';

const [mcpserver, work] = process.argv.slice(2);
assert.ok(work, 'usage: node approve.mjs MCPSERVER WORKDIR');
let checks = 0;
const check = (what, fn) => Promise.resolve(fn()).then(() => { checks++; console.log(`ok ${checks} - ${what}`); });
const text = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// How long the server waits for the person, and when the late one answers.
const patience = 2500;
const late = 4000;

const spec = {
  name: 'keepNote',
  description: 'Appends one line to the notes in the workspace, and tells how many there are.',
  codeType: 'Javascript',
  params: [{ name: 'text', description: 'The line to keep, such as "buy milk".', type: 'STRING', required: true, testValue: 'one' }],
  code: "safety.fs.appendText('notes.txt', text + '\\n'); return {lines: safety.fs.lineCount('notes.txt')};",
  sandboxOverrides: { networkMode: 'blocked', fileRead: true, fileWrite: true },
  humanInTheLoop: { mode: 'REQUIRED', promptTemplate: 'May {toolName} keep this note? {args}' },
  'x-fixtures': { files: {} },
  'x-tests': [{ name: 'first line', args: { text: 'one' }, want: { lines: 1 }, wantFiles: { 'notes.txt': 'one\n' } }],
};

const eras = {
  legacy: { Client: LegacyClient, Stdio: LegacyStdio, HTTP: LegacyHTTP, on: ElicitRequestSchema, options: {} },
  modern: { Client: ModernClient, Stdio: ModernStdio, HTTP: ModernHTTP, on: 'elicitation/create', options: { versionNegotiation: { mode: { pin: '2026-07-28' } } } },
};

function startHTTP(args) {
  const child = spawn(mcpserver, ['-http', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stderr.on('data', (chunk) => {
      seen += chunk;
      const m = seen.match(/listening on (http:\/\/\S+\/mcp)/);
      if (m) resolve({ child, url: new URL(m[1]) });
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${seen}`)));
  });
}

// person is who sits at the client: questions are kept, and answered by answer.
function person() {
  return { asked: [], answer: async () => ({ action: 'cancel' }) };
}

async function connect(era, transport, who) {
  const capabilities = who ? { elicitation: { form: {} } } : {};
  const client = new era.Client({ name: 'smoke', version: '1.0.0' }, { capabilities, ...era.options });
  if (who) {
    client.setRequestHandler(era.on, async (request) => {
      who.asked.push(request.params);
      return who.answer(request.params);
    });
  }
  await client.connect(transport);
  return client;
}

async function scenario(eraName, via) {
  const era = eras[eraName];
  const name = `${eraName} over ${via}`;
  const dir = join(work, `approve-${eraName}-${via}`);
  const workspace = join(dir, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(dir, 'keepNote.json'), JSON.stringify(spec));
  const args = ['-home', join(dir, 'home'), '-workspace', workspace, '-specs', join(dir, 'keepNote.json'), '-approve-timeout', `${patience}ms`];
  const notes = () => (existsSync(join(workspace, 'notes.txt')) ? readFileSync(join(workspace, 'notes.txt'), 'utf8').split('\n').slice(0, -1) : []);

  const server = via === 'http' ? await startHTTP(args) : undefined;
  const transport = () => (server ? new era.HTTP(server.url) : new era.Stdio({ command: mcpserver, args, stderr: 'inherit' }));
  const who = person();
  const client = await connect(era, transport(), who);
  const call = (line) => client.callTool({ name: 'keepNote', arguments: { text: line } });
  const refused = async (what, line, answer, asked) => {
    const before = notes();
    who.asked = [];
    who.answer = answer;
    const result = await call(line);
    assert.ok(result.isError, what);
    assert.deepEqual(notes(), before, 'it ran all the same');
    assert.equal(who.asked.length, asked);
    return text(result);
  };

  await check(`${name}: approved, it runs once with what was shown`, async () => {
    who.answer = async () => ({ action: 'accept', content: {} });
    const result = await call('yes please');
    assert.ok(!result.isError, text(result));
    assert.deepEqual(result.structuredContent, { lines: 1 });
    assert.deepEqual(notes(), ['yes please']);
    assert.equal(who.asked.length, 1);
    assert.match(who.asked[0].message, /^\[risk L\d /);
    assert.match(who.asked[0].message, /keepNote/);
    assert.match(who.asked[0].message, /yes please/);
  });
  await check(`${name}: asked anew for the next call`, async () => {
    who.asked = [];
    assert.ok(!(await call('again')).isError);
    assert.equal(who.asked.length, 1);
    assert.deepEqual(notes(), ['yes please', 'again']);
  });
  await check(`${name}: declined, it does not run and the model is told`, async () => {
    const told = await refused('declined', 'no', async () => ({ action: 'decline' }), 1);
    assert.match(told, /did not approve "keepNote"/);
    assert.match(told, /not run/);
  });
  await check(`${name}: cancelled, it does not run`, () => refused('cancelled', 'cancel', async () => ({ action: 'cancel' }), 1));
  await check(`${name}: answered too late, it does not run`, async () => {
    // Since 2026-07-28 the answer comes with a call of its own, so a late one is
    // seen: the question is put again, twice at most.
    await refused('late', 'late', async () => { await later(late); return { action: 'accept', content: {} }; }, eraName === 'modern' ? 3 : 1);
  });
  await check(`${name}: two calls at once are two questions`, async () => {
    who.asked = [];
    who.answer = async (params) => ({ action: params.message.includes('left') ? 'accept' : 'decline', content: {} });
    const before = notes();
    const [left, right] = await Promise.all([call('left'), call('right')]);
    assert.ok(!left.isError, text(left));
    assert.ok(right.isError);
    assert.equal(who.asked.length, 2);
    assert.deepEqual(notes(), [...before, 'left']);
  });
  await check(`${name}: a client that cannot ask is refused`, async () => {
    const before = notes();
    // Over stdio each client starts a server of its own.
    const other = await connect(era, transport(), undefined);
    const result = await other.callTool({ name: 'keepNote', arguments: { text: 'mute' } });
    assert.ok(result.isError);
    assert.match(text(result), /keepNote/);
    assert.deepEqual(notes(), before);
    await other.close();
  });
  await client.close();
  if (server) server.child.kill('SIGTERM');
}

for (const era of ['legacy', 'modern']) {
  for (const via of ['stdio', 'http']) await scenario(era, via);
}
console.log(`${checks} passed, 0 failed`);
process.exit(0);
