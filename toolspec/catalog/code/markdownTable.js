// Lays rows out as a Markdown table (GitHub Flavored Markdown), in columns that
// also line up as plain text.
const lists = rows.every(Array.isArray);
if (!lists && rows.some((r) => r === null || typeof r !== 'object' || Array.isArray(r))) {
  throw new Error('rows must be all objects, such as [{"name": "Ann"}], or all lists, such as [["name"], ["Ann"]]');
}
if (columns !== undefined && (columns.length === 0 || columns.some((c) => typeof c !== 'string'))) {
  throw new Error('columns must be a list of names');
}

let heads;
let body;
if (lists) {
  if (columns === undefined && rows.length === 0) throw new Error('rows is empty; pass columns to get a table without rows');
  heads = columns === undefined ? rows[0].map(String) : columns;
  body = columns === undefined ? rows.slice(1) : rows;
} else {
  heads = columns;
  if (heads === undefined) heads = [...new Set(rows.flatMap((r) => Object.keys(r)))];
  body = rows.map((r) => heads.map((h) => (Object.hasOwn(r, h) ? r[h] : null)));
}
const width = body.reduce((w, r) => Math.max(w, r.length), heads.length);
if (width === 0) throw new Error('there are no columns; give the rows members or pass columns');
if (width > heads.length) heads = [...heads, ...Array(width - heads.length).fill('')];

function cell(v) {
  if (v === null || v === undefined) return '';
  const text = typeof v === 'object' ? JSON.stringify(v) : String(v);
  return text.trim().replace(/\\/g, '\\\\').replace(/\|/g, '\\|').replace(/\r\n|\r|\n/g, '<br>');
}

// East Asian letters and emoji take two places.
function places(text) {
  let n = 0;
  for (const c of text) {
    const code = c.codePointAt(0);
    if ((code >= 0x300 && code <= 0x36f) || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) continue;
    const wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3)
      || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60)
      || (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
    n += wide ? 2 : 1;
  }
  return n;
}

const chosen = (align === undefined ? [] : align).map((a) => String(a).toLowerCase());
const known = ['left', 'right', 'center', ''];
const unknown = chosen.find((a) => !known.includes(a));
if (unknown !== undefined) throw new Error('align may hold left, right and center, one is "' + unknown + '"');
// Unless told otherwise, a column of numbers is set to the right.
const sides = heads.map((_, i) => chosen[i]
  || (body.length > 0 && body.every((r) => typeof r[i] === 'number' || r[i] === null || r[i] === undefined) && body.some((r) => typeof r[i] === 'number') ? 'right' : 'left'));

const titles = heads.map(cell);
const cells = body.map((r) => heads.map((_, i) => cell(r[i])));
const widths = heads.map((_, i) => [titles, ...cells].reduce((w, r) => Math.max(w, places(r[i])), 3));

function line(row) {
  return '| ' + row.map((text, i) => {
    const room = widths[i] - places(text);
    if (sides[i] === 'right') return ' '.repeat(room) + text;
    if (sides[i] === 'center') return ' '.repeat(room >> 1) + text + ' '.repeat(room - (room >> 1));
    return text + ' '.repeat(room);
  }).join(' | ') + ' |';
}
const rule = '| ' + widths.map((w, i) => (sides[i] === 'left' ? '-'.repeat(w) : sides[i] === 'right' ? '-'.repeat(w - 1) + ':' : ':' + '-'.repeat(w - 2) + ':')).join(' | ') + ' |';
return { table: [line(titles), rule, ...cells.map(line)].join('\n') + '\n', rows: cells.length };
