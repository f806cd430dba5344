// Draws nodes and the links between them; the front end finds their places.

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

const heading = clean(title, 120);
// named begins the line in words.
function named(what) {
  return heading === '' ? what : what + ' "' + heading + '"';
}

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
