// Draws quantities that flow from node to node. Flows go one way: a cycle has no
// place in such a picture.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/say.js

// include shared/named.js

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
