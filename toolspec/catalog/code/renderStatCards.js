// Shows a few key figures large, with how they changed.

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

if (stats.length === 0) throw new Error('stats is empty; pass at least one, such as {"label": "Users", "value": 5400}');
if (stats.length > 24) throw new Error('there are ' + stats.length + ' figures, at most 24 can be taken in; use renderTable');
const read = stats.map((value, i) => {
  const where = 'stats[' + i + ']';
  const s = Array.isArray(value) ? { label: value[0], value: value[1], unit: value[2] } : row(value, where);
  const one = { label: clean(pick(s, ['label', 'name', 'title', 'metric']), 80) };
  if (one.label === '') throw new Error(where + ' has no label');
  const figure = pick(s, ['value', 'number', 'count', 'total']);
  if (typeof figure === 'number') one.value = figure === 0 ? 0 : figure;
  else if (typeof figure === 'string' && figure.trim() !== '') one.value = clean(figure, 40);
  else throw new Error(where + '.value is ' + show(figure) + ', not a number or a short text such as "1.2 M"');
  const mark = clean(pick(s, ['unit', 'suffix']), 20);
  if (mark !== '') one.unit = mark;
  const change = pick(s, ['change', 'delta', 'trend']);
  if (change !== undefined && change !== '') {
    // Only the sign tells where an arrow points.
    if (/^(up|down|flat|same|stable)$/i.test(change)) one.direction = { u: 'up', d: 'down' }[String(change)[0].toLowerCase()] || 'flat';
    else {
      one.change = num(change, where + '.change (in percent)');
      one.direction = one.change > 0 ? 'up' : one.change < 0 ? 'down' : 'flat';
    }
  }
  const note = clean(pick(s, ['note', 'description', 'hint']), 160);
  if (note !== '') one.note = note;
  return one;
});

const payload = { type: 'stats' };
if (heading !== '') payload.title = heading;
payload.stats = read;
const said = read.slice(0, 6).map((s) => s.label + ' ' + s.value + (s.unit === undefined ? '' : ' ' + s.unit) + (s.change === undefined ? '' : ' (' + (s.change > 0 ? '+' : '') + s.change + ' %)'));
return card(named('Key figures') + ': ' + said.join(', ') + (read.length > 6 ? ' and ' + (read.length - 6) + ' more' : '') + '.', payload);
