// Draws a grid of numbers in which the colour of a cell tells its value.

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

// list takes an array, also one that was written as JSON text.
function list(value, where) {
  let v = value;
  if (typeof v === 'string') {
    try {
      v = JSON.parse(v);
    } catch (e) {
      v = null;
    }
  }
  if (!Array.isArray(v)) throw new Error(where + ' is ' + show(value) + ', not a list');
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

if (values.length === 0) throw new Error('values is empty; pass a list for each row, such as [[1, 2], [3, 4]]');
const MOST = 10000;
let across = columns === undefined || columns.length === 0 ? undefined : columns.map((c) => clean(c, 80));
let down = rows === undefined || rows.length === 0 ? undefined : rows.map((r) => clean(r, 80));
let grid;

const isCell = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
if (values.every(isCell)) {
  // Cells such as {"row": "Mon", "column": "9h", "value": 4}.
  const cells = values.map((v, i) => {
    const where = 'values[' + i + ']';
    const c = row(v, where);
    const one = { down: pick(c, ['row', 'y']), across: pick(c, ['column', 'col', 'x']) };
    if (one.down === undefined || one.across === undefined) throw new Error(where + ' is ' + show(v) + '; a cell needs row, column and value');
    return { down: clean(one.down, 80), across: clean(one.across, 80), value: num(pick(c, ['value', 'count', 'v']), where + '.value') };
  });
  if (down === undefined) down = [...new Set(cells.map((c) => c.down))];
  if (across === undefined) across = [...new Set(cells.map((c) => c.across))];
  if (down.length * across.length > MOST) throw new Error('the grid has ' + down.length + ' × ' + across.length + ' cells, at most ' + MOST + ' fit; group rows or columns');
  const downAt = new Map(down.map((name, i) => [name, i]));
  const acrossAt = new Map(across.map((name, i) => [name, i]));
  grid = down.map(() => Array(across.length).fill(null));
  cells.forEach((c, i) => {
    const at = downAt.get(c.down);
    const to = acrossAt.get(c.across);
    if (at === undefined) throw new Error('values[' + i + '] is in the row ' + show(c.down) + ', which rows does not name');
    if (to === undefined) throw new Error('values[' + i + '] is in the column ' + show(c.across) + ', which columns does not name');
    if (grid[at][to] !== null) throw new Error('two cells are in the row ' + show(c.down) + ' and the column ' + show(c.across) + '; add them up');
    grid[at][to] = c.value;
  });
} else {
  const lines = values.map((v, i) => list(v, 'values[' + i + ']'));
  const wide = lines[0].length;
  if (wide === 0) throw new Error('values[0] is empty; pass a number for each column');
  if (lines.length * wide > MOST) throw new Error('the grid has ' + lines.length + ' × ' + wide + ' cells, at most ' + MOST + ' fit; group rows or columns');
  grid = lines.map((line, i) => {
    if (line.length !== wide) throw new Error('values[' + i + '] has ' + line.length + ' numbers and values[0] ' + wide + '; all rows need the same number (null for an empty cell)');
    return line.map((v, k) => (v === null ? null : num(v, 'values[' + i + '][' + k + ']')));
  });
  if (down === undefined) down = lines.map((_, i) => String(i + 1));
  if (across === undefined) across = lines[0].map((_, i) => String(i + 1));
  if (down.length !== lines.length) throw new Error('rows names ' + down.length + ' rows and values has ' + lines.length);
  if (across.length !== wide) throw new Error('columns names ' + across.length + ' columns and each row of values has ' + wide);
}

let top = null;
let bottom = null;
grid.forEach((line, i) => line.forEach((v, k) => {
  if (v === null) return;
  if (top === null || v > top.v) top = { v, i, k };
  if (bottom === null || v < bottom.v) bottom = { v, i, k };
}));
if (top === null) throw new Error('all cells are empty; pass at least one number');

const payload = { type: 'heatmap' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
const at = (c) => say(c.v) + (mark === '' ? '' : ' ' + mark) + ' (' + down[c.i] + ', ' + across[c.k] + ')';
return card(named('Heatmap') + ': ' + down.length + ' × ' + across.length + ' cells, highest ' + at(top) + ', lowest ' + at(bottom) + '.',
  { ...payload, rows: down, columns: across, values: grid, min: bottom.v, max: top.v });
