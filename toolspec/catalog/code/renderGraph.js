// Draws nodes and the links between them; the front end finds their places.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/named.js

if (links.length > 2000) throw new Error('there are ' + links.length + ' links, at most 2000 fit; leave weak ones out');
const known = new Map();
(nodes === undefined ? [] : nodes).forEach((value, i) => {
  const where = 'nodes[' + i + ']';
  const plain = value === null || typeof value !== 'object';
  const n = plain ? { id: value } : row(value, where);
  const id = clean(pick(n, ['id', 'name', 'label']), 120);
  if (id === '') throw new Error(where + ' is ' + show(value) + '; a node needs an id');
  if (known.has(id)) throw new Error('nodes has ' + show(id) + ' twice');
  const one = { id };
  const label = clean(pick(n, ['label', 'name', 'title']), 120);
  if (label !== '' && label !== id) one.label = label;
  const group = clean(pick(n, ['group', 'type', 'category']), 60);
  if (group !== '') one.group = group;
  known.set(id, one);
});
const closed = known.size > 0; // links may only name what nodes has
if (!closed && links.length === 0) throw new Error('links is empty; pass at least one, such as {"from": "A", "to": "B"}, or nodes');

const degree = new Map();
const read = links.map((value, i) => {
  const where = 'links[' + i + ']';
  const l = Array.isArray(value) ? { from: value[0], to: value[1], label: value[2] } : row(value, where);
  const one = { from: clean(pick(l, ['from', 'source']), 120), to: clean(pick(l, ['to', 'target']), 120) };
  for (const id of [one.from, one.to]) {
    if (id === '') throw new Error(where + ' is ' + show(value) + '; a link needs from and to');
    if (!known.has(id)) {
      if (closed) throw new Error(where + ' names the node ' + show(id) + ', which nodes does not have');
      known.set(id, { id });
    }
    degree.set(id, (degree.get(id) || 0) + 1);
  }
  const label = clean(pick(l, ['label', 'relation', 'type']), 80);
  if (label !== '') one.label = label;
  const weight = pick(l, ['weight', 'value']);
  if (weight !== undefined) {
    one.weight = num(weight, where + '.weight');
    if (one.weight < 0) throw new Error(where + '.weight is ' + one.weight + ', must not be negative');
  }
  return one;
});
if (known.size > 500) throw new Error('there are ' + known.size + ' nodes, at most 500 fit; group some');

const payload = { type: 'graph' };
if (heading !== '') payload.title = heading;
payload.directed = directed === undefined ? true : directed;
payload.nodes = [...known.values()];
payload.links = read;
const most = [...degree].reduce((a, b) => (a === null || b[1] > a[1] ? b : a), null);
const hub = most === null ? '' : ', most links at ' + most[0] + ' (' + most[1] + ')';
return card(named('Graph') + ': ' + known.size + (known.size === 1 ? ' node' : ' nodes') + ' and ' + read.length + (read.length === 1 ? ' link' : ' links') + hub + '.', payload);
