// Puts a pin on a map for each place.

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

// point reads a place on earth: an object, a pair or a text "latitude, longitude".
function point(value, where) {
  let pair;
  if (Array.isArray(value)) pair = value;
  else if (typeof value === 'string' && !value.trim().startsWith('{')) pair = value.split(',').map((s) => s.trim());
  else {
    const o = row(value, where);
    pair = [pick(o, ['latitude', 'lat', 'y']), pick(o, ['longitude', 'lon', 'lng', 'long', 'x'])];
  }
  const latitude = num(pair[0], where + ': the latitude');
  const longitude = num(pair[1], where + ': the longitude');
  if (Math.abs(latitude) > 90) {
    throw new Error(where + ': the latitude is ' + latitude + ', must be from -90 to 90' + (Math.abs(longitude) <= 90 ? '; the latitude comes first, are the two swapped?' : ''));
  }
  if (Math.abs(longitude) > 180) throw new Error(where + ': the longitude is ' + longitude + ', must be from -180 to 180');
  const exact = (n) => Math.round(n * 1e6) / 1e6 + 0; // to 11 cm
  return { latitude: exact(latitude), longitude: exact(longitude) };
}

const heading = clean(title, 120);
// named begins the line in words.
function named(what) {
  return heading === '' ? what : what + ' "' + heading + '"';
}

if (points.length === 0) throw new Error('points is empty; pass at least one, such as {"latitude": 37.57, "longitude": 126.98, "label": "City Hall"}');
if (points.length > 2000) throw new Error('there are ' + points.length + ' points, at most 2000 fit; use renderGeoHeat to show where many lie');
const read = points.map((value, i) => {
  const one = point(value, 'points[' + i + ']');
  const o = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : { label: Array.isArray(value) ? value[2] : undefined };
  const label = clean(pick(o, ['label', 'name', 'title']), 120);
  if (label !== '') one.label = label;
  const note = clean(pick(o, ['description', 'note', 'address', 'text']), 500);
  if (note !== '') one.note = note;
  const group = clean(pick(o, ['group', 'category', 'type']), 60);
  if (group !== '') one.group = group;
  return one;
});

const edge = (name, pickOne, from) => read.reduce((m, p) => pickOne(m, p[name]), from);
const payload = { type: 'pointmap' };
if (heading !== '') payload.title = heading;
payload.points = read;
payload.bounds = { south: edge('latitude', Math.min, 90), west: edge('longitude', Math.min, 180), north: edge('latitude', Math.max, -90), east: edge('longitude', Math.max, -180) };
const labels = read.filter((p) => p.label !== undefined).map((p) => p.label);
const some = labels.length === 0 ? '' : ' (' + labels.slice(0, 5).join(', ') + (labels.length > 5 ? ', …' : '') + ')';
return card(named('Map') + ' with ' + read.length + (read.length === 1 ? ' pin' : ' pins') + some + '.', payload);
