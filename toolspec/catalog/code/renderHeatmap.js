// Draws a grid of numbers in which the colour of a cell tells its value.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/list.js

// include shared/say.js

// include shared/named.js

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
