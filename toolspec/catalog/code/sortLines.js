// Sorts the lines of a text.
const BY = ['text', 'exact', 'number', 'natural', 'length'];
const rule = by === undefined ? 'text' : by.trim().toLowerCase();
if (!BY.includes(rule)) throw new Error('by must be text (as in a dictionary), exact (by character code), number, natural (file2 before file10) or length, is "' + by + '"');

const input = (text === undefined ? '' : text).split(/\r\n|\r|\n/);
const lines = input.filter((line) => line.trim() !== '');
const blank = input.length - lines.length - (input[input.length - 1] === '' && input.length > 1 ? 1 : 0);

// fold makes texts equal that differ in case and accents only.
const fold = (s) => s.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase().trim();
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// The first number in a line: 1,234.5 and -3 and 1e6 are numbers.
function numberIn(line) {
  const m = /[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+/.exec(line);
  if (!m) return null;
  // A sign between a word and digits is a hyphen: "item-3".
  const glued = m.index > 0 && /[-+]/.test(m[0][0]) && /[\w)]/.test(line[m.index - 1]);
  return Number((glued ? m[0].slice(1) : m[0]).replace(/,/g, ''));
}

// With its length in front a number compares as a text: file2 before file10.
const natural = (s) => fold(s).replace(/\d+/g, (run) => {
  const number = run.replace(/^0+(?=\d)/, '');
  return '0' + String(number.length).padStart(6, '0') + number;
});

const keyOf = {
  text: fold, exact: (s) => s, number: numberIn, natural, length: (s) => [...s].length,
}[rule];
const orderOf = {
  text: compare, exact: compare, natural: compare, length: (a, b) => a - b, number: (a, b) => a - b,
}[rule];

let kept = lines;
if (unique === true) {
  const seen = new Set();
  kept = lines.filter((line) => {
    const same = ignoreCase === true ? line.toLowerCase() : line;
    return !seen.has(same) && seen.add(same);
  });
}
const sign = descending === true ? -1 : 1;
let without = 0;
// Equal keys: text and natural fall back to the exact characters, the others
// keep the order of the text.
const sorted = kept.map((line, at) => ({ line, at, key: keyOf(line) })).sort((a, b) => {
  if (rule === 'number' && (a.key === null || b.key === null)) {
    return a.key === b.key ? a.at - b.at : a.key === null ? 1 : -1; // lines without a number come last, in any direction
  }
  const order = orderOf(a.key, b.key) || (rule === 'text' || rule === 'natural' ? compare(a.line, b.line) : 0);
  return order === 0 ? a.at - b.at : sign * order;
});
if (rule === 'number') without = sorted.filter((s) => s.key === null).length;

const result = { text: sorted.map((s) => s.line).join('\n'), lines: sorted.length, duplicatesRemoved: lines.length - kept.length, blankRemoved: blank };
if (without > 0) result.note = without + ' line(s) hold no number and stand last';
return result;
