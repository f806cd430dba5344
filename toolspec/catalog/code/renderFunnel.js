// Draws how many are left after each stage, and how much of the first and of the
// previous stage that is.

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

// say writes a number for people, without digits that nobody reads.
function say(n) {
  return String(Number(Math.abs(n) < 1000 ? n.toPrecision(6) : n.toFixed(2)));
}

const heading = clean(title, 120);
// named begins the line in words.
function named(what) {
  return heading === '' ? what : what + ' "' + heading + '"';
}

if (stages.length < 2) throw new Error('stages has ' + stages.length + ' entries; a funnel needs at least 2, such as {"name": "Visits", "value": 5000}');
if (stages.length > 20) throw new Error('there are ' + stages.length + ' stages, at most 20 fit; join some');
const read = stages.map((value, i) => {
  const where = 'stages[' + i + ']';
  const s = Array.isArray(value) ? { name: value[0], value: value[1] } : row(value, where);
  const name = clean(pick(s, ['name', 'stage', 'label', 'step']), 120);
  if (name === '') throw new Error(where + ' has no name');
  const n = num(pick(s, ['value', 'count', 'amount', 'total']), where + '.value');
  if (n < 0) throw new Error(where + '.value is ' + n + ', must not be negative');
  return { name, value: n };
});
if (read[0].value === 0) throw new Error('the first stage has the value 0; start with the stage that has the most');

const share = (part, whole) => (whole === 0 ? null : Math.round(part / whole * 1000) / 10);
const payload = { type: 'funnel' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.stages = read.map((s, i) => ({ ...s, ofFirst: share(s.value, read[0].value), ofPrevious: i === 0 ? 100 : share(s.value, read[i - 1].value) }));

const last = payload.stages[read.length - 1];
const worst = payload.stages.slice(1).reduce((a, b) => (b.ofPrevious !== null && (a === null || b.ofPrevious < a.ofPrevious) ? b : a), null);
return card(named('Funnel') + ': ' + read.length + ' stages, from ' + say(read[0].value) + ' (' + read[0].name + ') to ' + say(last.value) + (mark === '' ? '' : ' ' + mark) + ' (' + last.name + '), ' + last.ofFirst + ' % in all; fewest go on to '
  + worst.name + ' (' + worst.ofPrevious + ' % of the stage before).', payload);
