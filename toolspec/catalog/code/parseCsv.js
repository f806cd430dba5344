// Reads CSV into rows, with the platform's parser (RFC 4180).
const most = limit === undefined ? 100 : limit;
if (most < 1 || most > 1000) throw new Error('limit must be between 1 and 1000, is ' + most);
const skip = offset === undefined ? 0 : offset;
if (skip < 0) throw new Error('offset must be 0 or more, is ' + skip);
const form = as === undefined ? (header === false ? 'lists' : 'objects') : as.trim().toLowerCase();
if (form !== 'objects' && form !== 'lists') throw new Error('as must be objects or lists, is "' + as + '"');
const input = csv.replace(/^\ufeff/, '');
const notes = [];

// The sign that stands most often outside of quotes in the first lines, and in
// each of them equally often.
function guess() {
  const bare = input.slice(0, 20000).replace(/"(?:[^"]|"")*"/g, '');
  const lines = bare.split(/\r\n|\r|\n/).filter((l) => l.trim() !== '').slice(0, 20);
  let best = ',';
  let most = 0;
  for (const sign of [',', ';', '\t', '|']) {
    const counts = lines.map((l) => l.split(sign).length - 1);
    const steady = counts.length > 0 && counts.every((n) => n === counts[0]);
    const score = (counts[0] || 0) * (steady ? 1000 : 1);
    if (score > most) [best, most] = [sign, score];
  }
  return best;
}
let sign = delimiter === undefined ? guess() : delimiter;
if (sign === '\\t' || sign.toLowerCase() === 'tab') sign = '\t';
if (sign.length !== 1 || /["\r\n]/.test(sign)) throw new Error('delimiter must be one character, such as "," or ";", or "tab"');

let records;
try {
  records = safety.parser.csv(input, { header: false, delimiter: sign });
} catch (e) {
  throw new Error('csv cannot be read: ' + e.message.replace(/^.*parse failed: /, '') + '; double a quote inside a quoted cell ("")');
}
if (records.length === 0) throw new Error('csv is empty; pass the text of the file, the line with the column names first');

const width = records.reduce((w, r) => Math.max(w, r.length), 0);
const headed = header !== false;
const taken = new Set();
const columns = Array.from({ length: width }, (_, i) => {
  const given = headed && records[0][i] !== undefined ? records[0][i].trim() : '';
  const base = given || 'column ' + (i + 1);
  let name = base;
  for (let n = 2; taken.has(name); n++) name = base + ' (' + n + ')';
  taken.add(name);
  if (given && name !== base) notes.push('two columns are called "' + base + '"; the later is "' + name + '"');
  return name;
});
const data = headed ? records.slice(1) : records;
const expected = headed ? records[0].length : width;
const short = data.filter((r) => r.length < expected).length;
const long = data.filter((r) => r.length > expected).length;
if (short) notes.push(short + ' row(s) have fewer than ' + expected + ' cells');
if (long) notes.push(long + ' row(s) have more than ' + expected + ' cells');

// A leading zero or plus is a code ("007", a postcode, a phone), not an amount.
const typed = (s) => (numbers === true && /^-?(0|[1-9]\d{0,14})(\.\d+)?([eE][-+]?\d{1,2})?$/.test(s.trim()) ? Number(s) : s);
const rows = data.slice(skip, skip + most).map((record) => {
  const cells = columns.map((_, i) => (record[i] === undefined ? null : typed(record[i])));
  return form === 'lists' ? cells : Object.fromEntries(columns.map((name, i) => [name, cells[i]]));
});
return { columns, rows, total: data.length, truncated: skip + rows.length < data.length, delimiter: sign === '\t' ? 'tab' : sign, notes };
