// Draws quantities that flow from node to node. Flows go one way: a cycle has no
// place in such a picture.

// A card is a line in words, then a block with the data. A backtick is written
// as \u0060 there, so that no text from outside can end the block.
function card(summary, payload) {
  const data = JSON.stringify(payload).replace(/[`\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  if (data.length > 300000) throw new Error('the card would hold ' + data.length + ' characters, at most 300000 fit; pass less data, shorter texts or rounded numbers');
  return summary.replace(/`/g, "'") + '\n\n```saip-action\n' + data + '\n```';
}

// clean makes one short line of a plain value, without characters that control
// a screen or the direction of writing.
function clean(value, most) {
  if (value === undefined || value === null) return '';
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value))
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return text.length <= most ? text : text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '') + '…';
}

function show(value) {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 60 ? text.slice(0, 57) + '…' : text;
}

// num reads a number, also one written as text, such as "1,234.5", "$12" or "8 %".
function num(value, where) {
  let n = value;
  if (typeof value === 'string') {
    let text = value.trim().replace(/^([+-]?)\s*[$€£¥₩]\s*/, '$1').replace(/\s*%$/, '');
    if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text)) text = text.replace(/,/g, '');
    n = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  }
  if (typeof n !== 'number' || !Number.isFinite(n)) throw new Error(where + ' is ' + show(value) + ', not a number');
  return n === 0 ? 0 : n; // no minus zero
}

// pick finds a member under one of the names that people give it.
function pick(row, names) {
  const name = names.find((n) => Object.hasOwn(row, n) && row[n] !== null && row[n] !== undefined);
  return name === undefined ? undefined : row[name];
}

// row takes an object, also one that was written as JSON text.
function row(value, where) {
  let v = value;
  if (typeof v === 'string' && v.trim().startsWith('{')) {
    try {
      v = JSON.parse(v);
    } catch (e) {
      v = null;
    }
  }
  if (v === null || typeof v !== 'object' || Array.isArray(v)) throw new Error(where + ' is ' + show(value) + ', not an object');
  return v;
}

// say writes a number for people, without digits that nobody reads.
function say(n) {
  return String(Number(Math.abs(n) < 1000 ? n.toPrecision(6) : n.toFixed(2)));
}

const heading = clean(title, 120);
// named begins the line in words.
function named(what) {
  return heading === '' ? what : what + ' "' + heading + '"';
}

if (links.length === 0) throw new Error('links is empty; pass at least one, such as {"from": "Salary", "to": "Rent", "value": 900}');
if (links.length > 2000) throw new Error('there are ' + links.length + ' links, at most 2000 fit; add small ones up');
const asked = nodes === undefined ? [] : nodes.map((n, i) => {
  const name = clean(n !== null && typeof n === 'object' ? pick(n, ['name', 'id', 'label']) : n, 120);
  if (name === '') throw new Error('nodes[' + i + '] has no name');
  return name;
});
const names = new Set(asked);
if (names.size !== asked.length) throw new Error('nodes names ' + show(asked.find((n, i) => asked.indexOf(n) !== i)) + ' twice');

// Links between the same two nodes become one.
const flows = new Map();
links.forEach((value, i) => {
  const where = 'links[' + i + ']';
  const l = Array.isArray(value) ? { from: value[0], to: value[1], value: value[2] } : row(value, where);
  const from = clean(pick(l, ['from', 'source']), 120);
  const to = clean(pick(l, ['to', 'target']), 120);
  if (from === '' || to === '') throw new Error(where + ' is ' + show(value) + '; a link needs from, to and value');
  for (const name of [from, to]) {
    if (asked.length > 0 && !asked.includes(name)) throw new Error(where + ' names the node ' + show(name) + ', which nodes does not have');
    names.add(name);
  }
  if (from === to) throw new Error(where + ' goes from ' + show(from) + ' to itself');
  const amount = num(pick(l, ['value', 'amount', 'count', 'weight']), where + '.value');
  if (amount <= 0) throw new Error(where + '.value is ' + amount + ', must be more than 0');
  const key = JSON.stringify([from, to]);
  const before = flows.get(key);
  if (before === undefined) flows.set(key, { from, to, value: amount });
  else before.value += amount;
});
if (names.size > 500) throw new Error('there are ' + names.size + ' nodes, at most 500 fit; group small ones');

// Nodes without a flow into them are taken away until none is left; what stays
// goes round in a circle.
const out = new Map([...names].map((n) => [n, []]));
const open = new Map([...names].map((n) => [n, 0]));
for (const f of flows.values()) {
  out.get(f.from).push(f.to);
  open.set(f.to, open.get(f.to) + 1);
}
const free = [...names].filter((n) => open.get(n) === 0);
for (let i = 0; i < free.length; i++) {
  for (const next of out.get(free[i])) {
    open.set(next, open.get(next) - 1);
    if (open.get(next) === 0) free.push(next);
  }
}
if (free.length < names.size) {
  // Back along the nodes that are left, until one comes again.
  const left = new Set([...names].filter((n) => open.get(n) > 0));
  const into = new Map();
  for (const f of flows.values()) if (left.has(f.from) && left.has(f.to)) into.set(f.to, f.from);
  const path = [[...left][0]];
  for (let from = into.get(path[0]); !path.includes(from); from = into.get(from)) path.push(from);
  const start = into.get(path[path.length - 1]);
  const circle = [start, ...path.slice(path.indexOf(start)).reverse()].map((n) => '"' + n + '"');
  throw new Error('the links go round in a circle: ' + circle.join(' > ') + '; leave one of them out, or use renderGraph');
}

const inflow = new Map();
const outflow = new Map();
const into = new Set();
for (const f of flows.values()) {
  f.value = Number(f.value.toPrecision(15));
  inflow.set(f.to, (inflow.get(f.to) || 0) + f.value);
  outflow.set(f.from, (outflow.get(f.from) || 0) + f.value);
  into.add(f.to);
}
const payload = { type: 'sankey' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.nodes = [...names];
payload.links = [...flows.values()];
const start = [...outflow].filter(([n]) => !into.has(n)).reduce((sum, [, v]) => sum + v, 0);
const biggest = payload.links.reduce((a, b) => (b.value > a.value ? b : a));
const after = mark === '' ? '' : ' ' + mark;
return card(named('Sankey diagram') + ': ' + payload.links.length + (payload.links.length === 1 ? ' flow' : ' flows') + ' between ' + names.size + ' nodes, ' + say(start) + after + ' in all, largest ' + biggest.from + ' to ' + biggest.to + ' (' + say(biggest.value) + after + ').', payload);
