// Shows rows as a table. Many rows are cut, and the card tells how many there are.

// include shared/card.js

// include shared/show.js

// include shared/pick.js

// include shared/named.js

const ROWS = 500;
const COLUMNS = 30;
const read = rows.map((r, i) => {
  if (typeof r !== 'string') return r;
  try {
    return JSON.parse(r);
  } catch (e) {
    throw new Error('rows[' + i + '] is ' + show(r) + ', neither an object nor a list');
  }
});
const lists = read.every(Array.isArray);
if (!lists && read.some((r) => r === null || typeof r !== 'object' || Array.isArray(r))) {
  throw new Error('rows must be all objects, such as [{"name": "Ada"}], or all lists, such as [["name"], ["Ada"]]');
}

// A column is named, or is {"key": "stars", "label": "Stars"}.
const asked = columns === undefined || columns.length === 0 ? undefined : columns.map((c, i) => {
  if (c !== null && typeof c === 'object') {
    const key = pick(c, ['key', 'name', 'field', 'label']);
    if (key === undefined) throw new Error('columns[' + i + '] has no key');
    const label = pick(c, ['label', 'title', 'header', 'name']);
    return { key: String(key), label: clean(label === undefined ? key : label, 80) };
  }
  return { key: String(c), label: clean(c, 80) };
});
let heads;
let body;
if (lists) {
  if (asked === undefined && read.length === 0) throw new Error('rows is empty; pass columns to show a table without rows');
  heads = asked === undefined ? read[0].map((c) => clean(c, 80)) : asked.map((c) => c.label);
  body = asked === undefined ? read.slice(1) : read;
  const wide = body.findIndex((r) => r.length > heads.length);
  if (wide >= 0) throw new Error('a row has ' + body[wide].length + ' cells and there are ' + heads.length + ' columns; ' + (asked === undefined ? 'the first list must name all columns' : 'name each in columns'));
} else {
  const names = asked === undefined ? [...new Set(read.flatMap((r) => Object.keys(r)))].map((k) => ({ key: k, label: clean(k, 80) })) : asked;
  const nowhere = read.length === 0 ? undefined : names.find((c) => asked !== undefined && !read.some((r) => Object.hasOwn(r, c.key)));
  if (nowhere !== undefined) throw new Error('no row has ' + show(nowhere.key) + ', which columns names; the rows have ' + Object.keys(read[0]).slice(0, COLUMNS).join(', '));
  heads = names.map((c) => c.label);
  body = read.map((r) => names.map((c) => (Object.hasOwn(r, c.key) ? r[c.key] : null)));
}
if (heads.length === 0) throw new Error('there are no columns; give the rows members or pass columns');
if (heads.length > COLUMNS) throw new Error('there are ' + heads.length + ' columns, at most ' + COLUMNS + ' can be read; name the ones wanted in columns');

function cell(v) {
  if (v === null || v === undefined) return null;
  return typeof v === 'number' || typeof v === 'boolean' ? v : clean(v, 500);
}
const cells = body.slice(0, ROWS).map((r) => heads.map((_, i) => cell(r[i])));
const numeric = heads.map((_, i) => cells.some((r) => typeof r[i] === 'number') && cells.every((r) => typeof r[i] === 'number' || r[i] === null));

const payload = { type: 'table' };
if (heading !== '') payload.title = heading;
payload.columns = heads.map((name, i) => (numeric[i] ? { name, numeric: true } : { name }));
payload.rows = cells;
payload.total = body.length;
if (body.length > ROWS) payload.truncated = true;
const count = body.length === 1 ? '1 row' : body.length > ROWS ? 'the first ' + ROWS + ' of ' + body.length + ' rows' : body.length + ' rows';
return card(named('Table') + ': ' + count + ' × ' + heads.length + (heads.length === 1 ? ' column' : ' columns') + ' (' + heads.slice(0, 8).join(', ') + (heads.length > 8 ? ', …' : '') + ').', payload);
