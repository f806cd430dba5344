// Writes rows as CSV as RFC 4180 says.
let sign = delimiter === undefined ? ',' : delimiter;
if (sign === '\\t' || sign.trim().toLowerCase() === 'tab') sign = '\t';
if (sign.length !== 1 || /["\r\n]/.test(sign)) throw new Error('delimiter must be one character, such as "," or ";", or "tab"');

// A row that came as JSON text is taken for what it says.
const list = rows.map((row, i) => {
  let value = row;
  if (typeof row === 'string' && /^\s*[{[]/.test(row)) {
    try {
      value = JSON.parse(row);
    } catch (e) {
      throw new Error('rows[' + i + '] is text that is no valid JSON; pass an object or a list');
    }
  }
  if (typeof value !== 'object' || value === null) throw new Error('rows[' + i + '] is ' + JSON.stringify(row) + '; pass objects such as {"name": "Ada"}, or lists such as ["Ada", 36]');
  return value;
});
if (list.length === 0 && columns === undefined) throw new Error('rows is empty; pass at least one row, or columns for a header alone');
const lists = list.filter(Array.isArray).length;
if (lists !== 0 && lists !== list.length) throw new Error('rows holds objects and lists; pass only one kind');
const objects = lists === 0;

let names = columns === undefined ? null : columns.map((c) => (typeof c === 'string' ? c : JSON.stringify(c)));
if (names && names.length === 0) throw new Error('columns is empty; leave it out, or name the columns');
if (!names && objects) {
  const seen = new Set(); // in the order in which they appear first
  for (const row of list) for (const key of Object.keys(row)) seen.add(key);
  names = [...seen];
  if (names.length === 0) throw new Error('rows holds only empty objects');
}

let guarded = 0;
function cell(value, width) {
  let s = '';
  if (value !== undefined && value !== null) s = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A spreadsheet runs cells that begin like this as formulas; a plain number it does not.
  if (safe === true && typeof value === 'string' && /^[\t\r\n ]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/.test(s) && !/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(s)) {
    s = "'" + s;
    guarded++;
  }
  // A row of one empty cell would be a blank line.
  const quote = quoteAll === true || s.includes(sign) || /["\r\n]|^\s|\s$/.test(s) || (s === '' && width === 1);
  return quote ? '"' + s.replace(/"/g, '""') + '"' : s;
}

const records = [];
if (names && header !== false) records.push(names);
for (const row of list) {
  if (objects) records.push(names.map((n) => (Object.hasOwn(row, n) ? row[n] : undefined)));
  else records.push(row.length < (names || []).length ? row.concat(Array(names.length - row.length).fill(null)) : row);
}
const longest = records.reduce((w, r) => Math.max(w, r.length), 0);
const notes = [];
if (!objects && names && list.some((r) => r.length > names.length)) notes.push('some rows have more cells than there are columns');
if (!objects && !names && list.some((r) => r.length !== longest)) notes.push('the rows have different numbers of cells');
if (objects && columns !== undefined) {
  const missing = names.filter((n) => list.length > 0 && !list.some((r) => Object.hasOwn(r, n)));
  if (missing.length) notes.push('no row has ' + missing.map((n) => '"' + n + '"').join(', '));
}
const end = crlf === true ? '\r\n' : '\n';
const csv = records.map((r) => r.map((v) => cell(v, r.length)).join(sign) + end).join('');
if (guarded > 0) notes.push(guarded + ' cell(s) that a spreadsheet would run as a formula got a \' in front');
if (csv.length > 900000) throw new Error('the result is longer than 900000 characters; pass fewer rows');
return { csv, rows: list.length, columns: longest, notes };
