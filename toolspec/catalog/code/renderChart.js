// Draws the common charts. All kinds but two share one shape: labels, and series
// with one value for each label. A scatter chart has points, a gauge one value.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/list.js

// include shared/pick.js

// include shared/say.js

// include shared/named.js

// The kind, also in the words that people use for it.
const said = String(kind).toLowerCase().replace(/[^a-z]+/g, ' ').replace(/\b(charts?|graphs?|plots?|diagrams?)\b/g, ' ').replace(/\s+/g, ' ').trim();
const stacked = /\bstack/.test(said);
const word = said.replace(/\b(stacked|simple|basic|horizontal|vertical|grouped|filled)\b/g, ' ').trim();
const alike = { bars: 'bar', column: 'bar', columns: 'bar', histogram: 'bar', lines: 'line', trend: 'line', donut: 'pie', doughnut: 'pie', spider: 'radar', points: 'scatter', xy: 'scatter', meter: 'gauge' };
const chart = Object.hasOwn(alike, word) ? alike[word] : word;
if (!['bar', 'line', 'area', 'pie', 'radar', 'scatter', 'gauge'].includes(chart)) {
  throw new Error('kind must be bar, line, area, pie, radar, scatter or gauge, is ' + show(kind));
}

// One value may come as a number, as [label, value] or as an object.
const found = []; // labels that came with the values
function entry(value, where, i, keep) {
  if (value === null && chart !== 'pie' && chart !== 'radar') return null; // a gap
  let name;
  let v = value;
  if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'string') [name, v] = value;
  else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    name = pick(value, ['label', 'name', 'x', 'date', 'category', 'month', 'year']);
    v = pick(value, ['value', 'y', 'count', 'amount', 'total']);
  }
  if (keep && name !== undefined) found[i] = clean(name, 120);
  return num(v, where);
}

// A point comes as [x, y] or as an object.
function dot(value, where) {
  const pair = Array.isArray(value) ? value : value !== null && typeof value === 'object' ? [pick(value, ['x']), pick(value, ['y'])] : null;
  if (pair === null || pair.length < 2) throw new Error(where + ' is ' + show(value) + ', not a point such as [1.5, 20]');
  const one = [num(pair[0], where + ' x'), num(pair[1], where + ' y')];
  const name = Array.isArray(value) ? value[2] : pick(value, ['label', 'name']);
  return name === undefined || name === null ? one : [...one, clean(name, 120)];
}

// Series without a list of values are single bars: [{"name": "A", "value": 3}].
const given = (v) => v !== undefined && v.length > 0;
let parts;
if (given(series)) {
  if (given(values)) throw new Error('pass either values (one series) or series (several), not both');
  const many = series.some((s) => Array.isArray(s) || (s !== null && typeof s === 'object' && pick(s, ['values', 'data', 'points']) !== undefined));
  parts = many ? series.map((s, i) => {
    if (s === null || typeof s !== 'object') throw new Error('series[' + i + '] is ' + show(s) + ', not an object such as {"name": "2026", "values": [1, 2]}');
    const name = Array.isArray(s) ? undefined : pick(s, ['name', 'label', 'title']);
    return { name: clean(name === undefined ? 'Series ' + (i + 1) : name, 120), values: list(Array.isArray(s) ? s : pick(s, ['values', 'data', 'points']), 'series[' + i + '].values') };
  }) : [{ name: '', values: series }];
} else {
  if (!given(values)) throw new Error('pass values, such as [10, 20], or series, such as [{"name": "2026", "values": [10, 20]}]');
  parts = [{ name: '', values }];
}
if (parts.length > 50) throw new Error('there are ' + parts.length + ' series, at most 50 can be told apart; leave some out or add them up');
const total = parts.reduce((n, s) => n + s.values.length, 0);
const longest = parts.reduce((n, s) => Math.max(n, s.values.length), 0);
if (longest > 2000 || total > 20000) throw new Error('there are ' + longest + ' values in a series and ' + total + ' in all, at most 2000 and 20000 fit; take averages of days, weeks or months first');
if (longest === 0) throw new Error('the series hold no values; pass at least one');

const payload = { type: 'chart', chart };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
const after = mark === '' ? '' : ' ' + mark;
const lead = named((stacked ? 'Stacked ' + chart : chart[0].toUpperCase() + chart.slice(1)) + (chart === 'gauge' ? '' : ' chart'));
function range() { // the limits of the axis or the dial
  const low = min === undefined ? undefined : num(min, 'min');
  const high = max === undefined ? undefined : num(max, 'max');
  if (low !== undefined && high !== undefined && low >= high) throw new Error('min is ' + low + ' and max ' + high + '; min must be smaller');
  return [low, high];
}
const [low, high] = range();

if (chart === 'gauge') {
  if (total !== 1) throw new Error('a gauge shows one value, values has ' + total + '; use kind bar for several');
  const value = entry(parts[0].values[0], 'values[0]', 0, true);
  if (value === null) throw new Error('values[0] is null, not a number');
  const from = low === undefined ? 0 : low;
  const to = high === undefined ? 100 : high;
  if (value < from || value > to) throw new Error('the value ' + value + ' is outside of the dial from ' + from + ' to ' + to + '; pass min and max');
  const name = given(labels) ? clean(labels[0], 120) : found[0];
  if (name) payload.label = name;
  return card(lead + ': ' + say(value) + after + ' on a dial from ' + say(from) + ' to ' + say(to) + '.', { ...payload, value, min: from, max: to });
}

if (chart === 'scatter') {
  // labels and values of the same length are also read as x and y.
  const paired = parts.length === 1 && given(labels) && !parts[0].values.some((v) => v !== null && typeof v === 'object');
  if (paired && labels.length !== longest) throw new Error('labels (the x of each point) has ' + labels.length + ' entries and values ' + longest + '; both need the same number');
  payload.series = parts.map((s, k) => ({
    name: s.name,
    points: s.values.map((v, i) => {
      const where = (given(series) ? 'series[' + k + '].' : '') + 'values[' + i + ']';
      return paired ? [num(labels[i], 'labels[' + i + ']'), num(v, where)] : dot(v, where);
    }),
  }));
  const dots = payload.series.flatMap((s) => s.points);
  const span = (at) => say(dots.reduce((m, p) => Math.min(m, p[at]), Infinity)) + ' to ' + say(dots.reduce((m, p) => Math.max(m, p[at]), -Infinity));
  const count = dots.length + (dots.length === 1 ? ' point' : ' points') + (parts.length > 1 ? ' in ' + parts.length + ' series' : '');
  return card(lead + ': ' + count + ', x from ' + span(0) + ', y from ' + span(1) + after + '.', payload);
}

if (stacked) payload.stacked = true;
if (low !== undefined) payload.min = low;
if (high !== undefined) payload.max = high;
const lines = parts.map((s, k) => ({ name: s.name, values: s.values.map((v, i) => entry(v, (given(series) ? 'series[' + k + '].' : '') + 'values[' + i + ']', i, k === 0)) }));
const names = given(labels) ? labels.map((l) => clean(l, 120)) : Array.from({ length: longest }, (_, i) => found[i] || String(i + 1));
for (const s of lines) {
  if (s.values.length !== names.length) {
    throw new Error((given(labels) ? 'labels has ' : 'the first series has ') + names.length + ' entries and ' + (s.name === '' ? 'values' : 'the series ' + show(s.name)) + ' ' + s.values.length + '; each label needs one value (null for a gap)');
  }
}
const numbers = lines.flatMap((s) => s.values).filter((v) => v !== null);
if (numbers.length === 0) throw new Error('all values are null; pass at least one number');
payload.labels = names;
payload.series = lines;

const first = lines[0].values;
const largest = first.reduce((at, v, i) => (v !== null && (at < 0 || v > first[at]) ? i : at), -1);
const smallest = first.reduce((at, v, i) => (v !== null && (at < 0 || v < first[at]) ? i : at), -1);
if (chart === 'pie') {
  if (lines.length > 1) throw new Error('a pie shows one series, there are ' + lines.length + '; use kind stacked bar');
  const sum = first.reduce((a, b) => a + b, 0);
  if (numbers.some((v) => v < 0) || sum <= 0 || !Number.isFinite(sum)) throw new Error('the parts of a pie must not be negative and must add up to more than 0; use kind bar');
  return card(lead + ': ' + names.length + (names.length === 1 ? ' part' : ' parts') + ', largest ' + names[largest] + ' (' + Math.round(first[largest] / sum * 1000) / 10 + ' %).', payload);
}
if (chart === 'radar' && names.length < 3) throw new Error('a radar chart needs at least 3 axes, there are ' + names.length + '; use kind bar');
if (lines.length > 1) {
  const some = lines.slice(0, 5).map((s) => s.name).join(', ') + (lines.length > 5 ? ', …' : '');
  return card(lead + ': ' + lines.length + ' series (' + some + ') over ' + names.length + ' labels.', payload);
}
const ends = largest < 0 ? '' : ', highest ' + say(first[largest]) + after + ' (' + names[largest] + '), lowest ' + say(first[smallest]) + after + ' (' + names[smallest] + ')';
return card(lead + ': ' + first.length + (first.length === 1 ? ' value' : ' values') + ends + '.', payload);
