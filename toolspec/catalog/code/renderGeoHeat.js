// Draws how densely places lie, as a heat layer on a map.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/point.js

// include shared/say.js

// include shared/named.js

if (points.length === 0) throw new Error('points is empty; pass at least one, such as {"latitude": 37.57, "longitude": 126.98}');
if (points.length > 5000) throw new Error('there are ' + points.length + ' points, at most 5000 fit; round the places and add up weights');
const read = points.map((value, i) => {
  const where = 'points[' + i + ']';
  const { latitude, longitude } = point(value, where);
  let weight = Array.isArray(value) ? value[2] : undefined;
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) weight = pick(value, ['weight', 'value', 'count', 'intensity', 'magnitude']);
  const n = weight === undefined || weight === null ? 1 : num(weight, where + '.weight');
  if (n < 0) throw new Error(where + '.weight is ' + n + ', must not be negative');
  return [latitude, longitude, n];
});
const sum = read.reduce((a, p) => a + p[2], 0);
if (sum === 0) throw new Error('all weights are 0; at least one must be more');

const edge = (at, pickOne, from) => read.reduce((m, p) => pickOne(m, p[at]), from);
const payload = { type: 'geoheat' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.points = read;
payload.bounds = { south: edge(0, Math.min, 90), west: edge(1, Math.min, 180), north: edge(0, Math.max, -90), east: edge(1, Math.max, -180) };
const b = payload.bounds;
const weighed = read.some((p) => p[2] !== 1);
return card(named('Density map') + ': ' + read.length + (read.length === 1 ? ' point' : ' points') + (weighed ? ', weights ' + say(sum) + (mark === '' ? '' : ' ' + mark) + ' in all' : '')
  + ', between ' + say(b.south) + ', ' + say(b.west) + ' and ' + say(b.north) + ', ' + say(b.east) + '.', payload);
