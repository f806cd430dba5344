// Parses CSV as in RFC 4180 and describes each column.
let text = csv;
if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);

function countOutsideQuotes(sign) {
  let n = 0;
  let inside = false;
  for (const c of text) {
    if (c === '"') inside = !inside;
    else if (!inside && c === '\n') break;
    else if (!inside && c === sign) n++;
  }
  return n;
}

let sign = delimiter;
if (sign === undefined) {
  sign = [',', ';', '\t', '|'].reduce((best, c) => (countOutsideQuotes(c) > countOutsideQuotes(best) ? c : best));
} else if (sign === '\\t' || sign.toLowerCase() === 'tab') {
  sign = '\t';
}
if (sign.length !== 1 || sign === '"' || sign === '\n' || sign === '\r') {
  throw new Error('delimiter must be one character, such as "," or ";", or "tab"');
}

function parse() {
  const rows = [];
  let row = [];
  let line = 1;
  let i = 0;
  while (i < text.length) {
    let cell = '';
    if (text[i] === '"') {
      const opened = line;
      i++;
      for (;;) {
        const end = text.indexOf('"', i);
        if (end < 0) throw new Error('csv: the quote opened in line ' + opened + ' is never closed; double a quote inside a cell ("")');
        const part = text.slice(i, end);
        line += part.split('\n').length - 1;
        cell += part;
        i = end + 1;
        if (text[i] !== '"') break;
        cell += '"';
        i++;
      }
      if (i < text.length && text[i] !== sign && text[i] !== '\n' && text[i] !== '\r') {
        throw new Error('csv: line ' + line + ' goes on after a closing quote; double a quote inside a cell ("")');
      }
    } else {
      let end = i;
      while (end < text.length && text[end] !== sign && text[end] !== '\n' && text[end] !== '\r') end++;
      cell = text.slice(i, end);
      i = end;
    }
    row.push(cell);
    if (text[i] === sign) {
      i++;
      if (i < text.length) continue;
      row.push('');
    } else if (text[i] === '\r' && text[i + 1] === '\n') {
      i += 2;
    } else {
      i++;
    }
    line++;
    if (row.length > 1 || row[0] !== '') rows.push(row); // a blank line is no row
    row = [];
  }
  return rows;
}

function typeOf(value) {
  // A leading zero is a code ("007", a postcode), not an amount.
  if (/^[-+]?(0|[1-9]\d*)$/.test(value)) return 'integer';
  if (/^[-+]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(value)) return 'number';
  if (/^(true|false)$/i.test(value)) return 'boolean';
  const d = /^(\d{4})-(\d\d)-(\d\d)([T ]\d\d:\d\d.*)?$/.exec(value);
  if (d && d[2] >= 1 && d[2] <= 12 && d[3] >= 1 && d[3] <= new Date(Date.UTC(2000 + (d[1] % 400), d[2], 0)).getUTCDate()) return 'date';
  return 'text';
}

function tidy(x) { // without the noise of binary fractions
  return Number(x.toPrecision(15));
}

// include shared/total.js

function describe(name, cells) {
  const filled = cells.map((c) => c.trim()).filter((c) => c !== '');
  const counts = new Map();
  for (const c of filled) counts.set(c, (counts.get(c) || 0) + 1);
  const types = new Set(filled.map(typeOf));
  let type = types.size === 0 ? 'empty' : 'text';
  if (types.size === 1) type = filled.length ? typeOf(filled[0]) : 'empty';
  else if (types.size === 2 && types.has('integer') && types.has('number')) type = 'number';
  const out = { name, type, filled: filled.length, empty: cells.length - filled.length, unique: counts.size };
  if (type === 'integer' || type === 'number') {
    const sorted = filled.map(Number).sort((a, b) => a - b);
    const half = sorted.length >> 1;
    out.sum = tidy(total(sorted));
    out.mean = tidy(out.sum / sorted.length);
    out.median = sorted.length % 2 ? sorted[half] : tidy((sorted[half - 1] + sorted[half]) / 2);
    out.min = sorted[0];
    out.max = sorted[sorted.length - 1];
    return out;
  }
  if (type === 'date') {
    const sorted = filled.slice().sort();
    out.min = sorted[0];
    out.max = sorted[sorted.length - 1];
  }
  out.top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([value, count]) => ({ value, count }));
  return out;
}

const rows = parse();
if (rows.length === 0) throw new Error('csv is empty; pass the text of the file, with a header line first');
const width = rows.reduce((w, r) => Math.max(w, r.length), 0);
const headed = header !== false;
const names = [];
const taken = new Set();
for (let i = 0; i < width; i++) {
  const given = headed && rows[0][i] !== undefined ? rows[0][i].trim() : '';
  const base = given || 'column ' + (i + 1);
  let name = base;
  for (let n = 2; taken.has(name); n++) name = base + ' (' + n + ')';
  taken.add(name);
  names.push(name);
}
const data = headed ? rows.slice(1) : rows;
const expected = headed ? rows[0].length : width;
const warnings = [];
const short = data.filter((r) => r.length < expected).length;
const long = data.filter((r) => r.length > expected).length;
if (short) warnings.push(short + ' row(s) have fewer than ' + expected + ' cells');
if (long) warnings.push(long + ' row(s) have more than ' + expected + ' cells');
return {
  rows: data.length,
  delimiter: sign === '\t' ? 'tab' : sign,
  columns: names.map((name, i) => describe(name, data.map((r) => (r[i] === undefined ? '' : r[i])))),
  warnings,
};
