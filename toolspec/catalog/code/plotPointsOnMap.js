// Puts a pin on a map for each place.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/point.js

// include shared/named.js

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
