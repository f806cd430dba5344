// Finds every match of a regular expression, with its groups and place.
const most = limit === undefined ? 100 : limit;
if (most < 1 || most > 1000) throw new Error('limit must be between 1 and 1000, is ' + most);
const asked = flags === undefined ? '' : flags.replace(/g/g, '');
// include shared/regex.js

const input = text === undefined ? '' : text;
const matches = [];
let count = 0;
let line = 1;
let seen = 0;
for (const m of input.matchAll(regex)) {
  count++;
  if (matches.length >= most) continue;
  for (; seen < m.index; seen++) if (input[seen] === '\n') line++;
  const one = { match: m[0], index: m.index, line, groups: m.slice(1).map((g) => (g === undefined ? null : g)) };
  if (m.groups) {
    one.named = {};
    for (const name of Object.keys(m.groups)) one.named[name] = m.groups[name] === undefined ? null : m.groups[name];
  }
  matches.push(one);
}
return { found: count > 0, count, matches, truncated: count > matches.length };
