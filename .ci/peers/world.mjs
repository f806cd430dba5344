// The MCP servers of other makers that stand behind the hub in these checks, each
// in a process of its own, and what their tools are called.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const program = (name) => join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js');

export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function deadline(promise, ms, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// until asks until the answer is true.
export async function until(what, ask, ms = 60000) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what}: not after ${ms} ms`);
    await later(100);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Everything that was started, so that nothing stays behind.
const started = new Set();

export function start(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
  child.told = '';
  child.stderr?.on('data', (chunk) => { child.told = (child.told + chunk).slice(-20000); });
  child.ended = new Promise((resolve) => child.on('exit', (code, signal) => { started.delete(child); resolve(code ?? signal); }));
  child.on('error', (err) => { child.told += err; });
  started.add(child);
  return child;
}

// stop ends a program with a signal, and with a kill when that does not help.
export async function stop(child) {
  child.kill('SIGTERM');
  try {
    return await deadline(child.ended, 30000, 'SIGTERM');
  } catch {
    child.kill('SIGKILL');
    return deadline(child.ended, 30000, 'SIGKILL');
  }
}

export const stopAll = () => Promise.all([...started].map(stop));
process.on('exit', () => { for (const child of started) child.kill('SIGKILL'); });

// listening waits until somebody answers at a URL, whatever the answer is.
async function listening(child, url) {
  await until(`${url} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${child.told}`);
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await answer.body?.cancel();
      return true;
    } catch (err) {
      return err.name === 'TimeoutError'; // a stream that stays open
    }
  });
}

// The questions that each server asks, by the tool that asks them. A server of
// an old version asks within the call, one of 2026-07-28 before it goes on.
const everythingQuestions = {
  form: ['trigger-elicitation-request', {}],
  url: ['trigger-url-elicitation', { url: 'https://example.com/sign-in', elicitationId: 'e-1' }],
  sampling: ['trigger-sampling-request', { prompt: 'What now?', maxTokens: 50 }],
  roots: ['get-roots-list', {}],
};
const sessionQuestions = { form: ['test_elicitation', { message: 'Who are you?' }], sampling: ['test_sampling', { prompt: 'What now?' }] };
const roundQuestions = {
  form: ['test_input_required_result_elicitation', {}],
  sampling: ['test_input_required_result_sampling', {}],
  roots: ['test_input_required_result_list_roots', {}],
};
const everythingPlain = ['echo', 'get-sum', 'get-structured-content', 'get-tiny-image', 'trigger-long-running-operation', 'get-resource-links'];
const fixturePlain = ['test_simple_text', 'test_error_handling', 'test_multiple_content_types'];

// begin starts the servers that are reached over HTTP and describes all of them:
// the entry in the hub's file, the era that is spoken, the tools.
export async function begin({ mcppeer, fixtures, work }) {
  const old = { protocolVersions: ['2025-11-25', '2025-06-18'] };
  const everything = program('server-everything');
  const folder = join(work, 'shared');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hello.txt'), 'hello from the folder');

  const http = async (path, run) => {
    const port = await freePort();
    const child = run(port);
    const url = `http://localhost:${port}${path}`;
    await listening(child, url);
    return url;
  };
  const node = (mode) => (port) => start(process.execPath, [everything, mode], { env: { ...process.env, PORT: String(port) } });
  const gosdk = (...more) => (port) => start(join(fixtures, 'everything-server'), [`-http=localhost:${port}`, ...more]);
  const mcpgo = (port) => start(join(fixtures, 'conformance'), [], { env: { ...process.env, CONFORMANCE_ADDR: `localhost:${port}` } });
  const [streamable, sse, gosdkOld, gosdkNew, mcpgoHTTP] = await Promise.all([http('/mcp', node('streamableHttp')), http('/sse', node('sse')),
    http('/', gosdk('-stateless=false')), http('/', gosdk()), http('/mcp', mcpgo)]);

  const simple = { plain: fixturePlain, check: ['test_simple_text', {}, /simple text/i], fails: 'test_error_handling' };
  const ever = { plain: everythingPlain, check: ['echo', { message: 'hi' }, /Echo: hi/], questions: everythingQuestions, progress: true };
  const stdio = (command, ...args) => ({ command, args });
  const ups = {
    everything: { ...ever, era: 'old', entry: stdio(process.execPath, everything, 'stdio') },
    everythinghttp: { ...ever, era: 'old', entry: { type: 'http', url: streamable } },
    everythingsse: { ...ever, era: 'old', entry: { type: 'sse', url: sse } },
    filesystem: { era: 'old', plain: ['read_text_file', 'list_directory'], check: ['read_text_file', { path: join(folder, 'hello.txt') }, /hello from the folder/],
      entry: stdio(process.execPath, program('server-filesystem'), folder) },
    memory: { era: 'old', plain: ['create_entities', 'read_graph'], check: ['read_graph', {}, /entities/],
      entry: { ...stdio(process.execPath, program('server-memory')), env: { MEMORY_FILE_PATH: '${PEERS_MEMORY}' } } },
    gosdkold: { ...simple, era: 'old', questions: sessionQuestions, entry: { ...stdio(join(fixtures, 'everything-server')), ...old } },
    gosdknew: { ...simple, era: 'new', questions: roundQuestions, entry: stdio(join(fixtures, 'everything-server')) },
    gosdkhttpold: { ...simple, era: 'old', questions: sessionQuestions, entry: { url: gosdkOld } },
    gosdkhttpnew: { ...simple, era: 'new', questions: roundQuestions, entry: { url: gosdkNew } },
    mcpgohttpold: { ...simple, era: 'old', questions: sessionQuestions, entry: { url: mcpgoHTTP, ...old } },
    mcpgohttpnew: { ...simple, era: 'new', entry: { url: mcpgoHTTP } },
    mcpgoold: { era: 'old', plain: ['echo'], check: ['echo', { text: 'hi' }, /^hi$/], entry: { ...stdio(mcppeer, '-as', 'mcpgo'), ...old } },
    mcpgonew: { era: 'new', plain: ['echo'], check: ['echo', { text: 'hi' }, /^hi$/], questions: { form: ['ask', {}] }, entry: stdio(mcppeer, '-as', 'mcpgo') },
  };
  const entries = {};
  for (const [id, up] of Object.entries(ups)) {
    const asking = Object.values(up.questions ?? {}).map(([tool]) => tool);
    entries[id] = { ...up.entry, approve: true, hitl: false, timeoutMs: 30000, relay: { sampling: true, roots: true }, tools: [...up.plain, ...asking] };
  }
  // Resources keep their URIs, so that only one of several servers shares its own.
  for (const id of ['everything', 'mcpgonew']) entries[id].share = true;
  ups.everything.shares = { resource: 'demo://resource/static/document/features.md', read: 'demo://resource/dynamic/text/1', prompt: 'simple-prompt', completes: 'completable-prompt' };
  ups.mcpgonew.shares = { resource: 'test://one', read: 'test://one' };
  // What the client of the Go SDK calls, under the name that it knows.
  entries.everything.tools = entries.everything.tools.map((tool) => (tool === 'get-sum' ? { tool, alias: 'add_numbers' } : tool));
  const file = join(work, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: entries }, null, 2));
  return { ups, file, env: { ...process.env, PEERS_MEMORY: join(work, 'memory.json') } };
}

// childrenOf are the programs that a process has started.
export function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return []; // the thread has ended
    }
  });
}

export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
