// Runs scripts, a JSON list of function bodies on standard input, and writes a
// JSON list of what came of each: node testdata/run.mjs show.js.
import { readFileSync } from 'node:fs';

const show = (0, eval)(readFileSync(process.argv[2], 'utf8'));
const AsyncFunction = (async () => { }).constructor;
const scripts = JSON.parse(readFileSync(0, 'utf8'));
const results = [];
for (const script of scripts) {
  try {
    results.push(show(await new AsyncFunction(script)()));
  } catch (e) {
    results.push('throws ' + (e instanceof Error ? e.name : show(e)));
  }
}
process.stdout.write(JSON.stringify({ version: process.versions.node, results }));
