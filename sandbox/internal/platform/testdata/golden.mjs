// Runs every script of scripts.json in Node and writes its answer to
// golden.json: node testdata/golden.mjs. A script is the body of a function; its
// answer is the JSON of what it returns, or the name and message of what it
// throws.
import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const scripts = JSON.parse(readFileSync(new URL('scripts.json', here), 'utf8'));
const cases = scripts.map((script) => {
  try {
    const value = new Function(script)();
    return { script, want: value === undefined ? null : value };
  } catch (e) {
    return { script, error: e.name, message: e.message };
  }
});
const { node, icu, tz } = process.versions;
const text = cases.map((c) => JSON.stringify(c)).join(',\n');
writeFileSync(new URL('golden.json', here),
  `{"node": "${node}", "icu": "${icu}", "tz": "${tz}", "cases": [\n${text}\n]}\n`);
