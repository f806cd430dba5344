// Runs the official conformance suites, the stable one and the one of the coming
// revision, against the fixtures of this repository, and counts the checks. Any
// check that fails, any run that ends badly, and any run without checks is a
// failure.
//
//   node run.mjs ALPHA STABLE SERVER CLIENT WORKDIR
//
// ALPHA and STABLE are folders with the installed suites, SERVER and CLIENT the
// built fixtures. LOCALPASS_REPEAT repeats everything so many times, for people.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const [alpha, stable, server, client, work] = process.argv.slice(2);
if (!work) throw new Error('usage: node run.mjs ALPHA STABLE SERVER CLIENT WORKDIR');
const repeat = Number(process.env.LOCALPASS_REPEAT || 1);
if (!Number.isInteger(repeat) || repeat < 1) throw new Error(`LOCALPASS_REPEAT is ${process.env.LOCALPASS_REPEAT}: give a number from 1 on`);
const suites = { stable, alpha };
const limit = 240000; // one run of a suite, in ms; it takes seconds

// What is lost when a message and a result are written close together is lost
// now and then only: who repeats everything looks for that often.
const often = ['tools-call-with-logging', 'tools-call-with-progress'];
const times = repeat > 1 ? 50 : 5;

const running = new Set();
process.on('exit', () => { for (const child of running) child.kill('SIGKILL'); });

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.said = '';
  child.wrong = '';
  child.stdout.on('data', (chunk) => { child.said += chunk; });
  child.stderr.on('data', (chunk) => { child.wrong = (child.wrong + chunk).slice(-4000); });
  running.add(child);
  child.ended = new Promise((resolve) => {
    child.on('error', (err) => { child.wrong += err; });
    child.on('close', (code, signal) => { running.delete(child); resolve(code ?? signal); });
  });
  return child;
}

function within(promise, ms, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// count adds up the checks that a run has written.
function count(folder) {
  const sum = { scenarios: 0, passed: 0, failed: 0, warnings: 0, failing: [], warned: [] };
  for (const file of readdirSync(folder, { recursive: true })) {
    if (basename(file) !== 'checks.json') continue;
    const name = dirname(file);
    sum.scenarios++;
    for (const check of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
      if (check.status === 'SUCCESS') sum.passed++;
      const line = `${name.replace(/-\d{4}-\d\d-\d\dT.*/, '')}: ${check.id}: ${check.errorMessage ?? check.description ?? ''}`;
      if (check.status === 'WARNING') {
        sum.warnings++;
        sum.warned.push(line);
      }
      if (check.status === 'FAILURE') {
        sum.failed++;
        sum.failing.push(line);
      }
    }
  }
  return sum;
}

let runs = 0;
async function run(suite, role, ...args) {
  const folder = join(work, 'runs', String(++runs));
  mkdirSync(folder, { recursive: true });
  const child = start(process.execPath, [join(suites[suite], 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), role, ...args, '-o', folder]);
  let code;
  try {
    code = await within(child.ended, limit, `${suite} ${role} ${args.join(' ')}`);
  } catch (err) {
    child.kill('SIGKILL');
    code = err.message;
  }
  const sum = count(folder);
  if (sum.scenarios === 0 || sum.passed === 0) sum.failing.push(`no check was made: ${child.wrong.trim() || child.said.slice(-500)}`);
  if (code !== 0 && sum.failing.length === 0) sum.failing.push(...sum.warned, `it ended with ${code}: ${(child.wrong.trim() || child.said).slice(-500)}`);
  if (sum.failing.length > 0) sum.failed = Math.max(sum.failed, 1);
  return sum;
}

const summary = [];
// noting gives a function that prints what ran since it was last called.
function noting() {
  let at = Date.now();
  return (what, sum) => {
    const seconds = (Date.now() - at) / 1000;
    at = Date.now();
    summary.push({ run: what, seconds, ...sum });
    console.log(`${what}: ${sum.passed} passed, ${sum.failed} failed, ${sum.warnings} warnings (${sum.scenarios} scenarios, ${seconds.toFixed(1)} s)`);
    for (const line of sum.failing.slice(0, 50)) console.log(`    ${line.replaceAll('\n', ' ').slice(0, 400)}`);
  };
}

const which = (round) => (repeat > 1 ? ` (round ${round})` : '');

async function clients(suite, round, note) {
  note(`${suite} client --suite all${which(round)}`, await run(suite, 'client', '--command', client, '--suite', 'all'));
}

async function servers(suite, round, url, note) {
  for (const selection of suite === 'alpha' ? [['--suite', 'active'], ['--suite', 'all'], ['--requirements', '2026-07-28']] : [['--suite', 'active'], ['--suite', 'all']]) {
    note(`${suite} server ${selection.join(' ')}${which(round)}`, await run(suite, 'server', '--url', url, ...selection));
  }
}

// manyTimes repeats the scenarios about notifications, two at a time.
async function manyTimes(suite, url, note) {
  for (const scenario of often) {
    const sum = { scenarios: 0, passed: 0, failed: 0, warnings: 0, failing: [] };
    let left = times;
    await Promise.all([1, 2].map(async () => {
      while (left-- > 0) {
        const one = await run(suite, 'server', '--url', url, '--scenario', scenario);
        for (const name of ['scenarios', 'passed', 'failed', 'warnings']) sum[name] += one[name];
        sum.failing.push(...one.failing);
      }
    }));
    note(`${suite} server ${scenario}, ${times} times`, sum);
  }
}

// against runs what a suite has for servers against a fixture of its own.
async function against(suite) {
  const fixture = start(server, ['-http', '127.0.0.1:0']);
  try {
    const end = Date.now() + 60000;
    let address;
    while (!(address = /(127\.0\.0\.1:\d+)/.exec(fixture.said)?.[1])) {
      if (Date.now() > end || fixture.exitCode !== null) throw new Error(`the fixture server does not listen: ${fixture.wrong}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const url = `http://${address}/mcp`;
    const note = noting();
    for (let round = 1; round <= repeat; round++) await servers(suite, round, url, note);
    await manyTimes(suite, url, note);
  } finally {
    fixture.kill('SIGTERM');
    await within(fixture.ended, 10000, 'the end of the fixture server').catch(() => fixture.kill('SIGKILL'));
  }
}

// A suite runs its clients all at once, and bounds their time: one suite after the
// other. Of the servers it asks one thing at a time.
const note = noting();
for (let round = 1; round <= repeat; round++) for (const suite of Object.keys(suites)) await clients(suite, round, note);
await Promise.all(Object.keys(suites).map(against));
const total = { passed: 0, failed: 0 };
for (const { passed, failed } of summary) {
  total.passed += passed;
  total.failed += failed;
}
writeFileSync(join(work, 'conformance.json'), JSON.stringify({ total, runs: summary }, null, 2));
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed ? 1 : 0);
