// Recent earthquakes from the feeds of the US Geological Survey, which hold
// all those of a period above a magnitude.
const span = period === undefined ? 'day' : period.trim().toLowerCase();
if (!['hour', 'day', 'week', 'month'].includes(span)) throw new Error('period is "' + period + '"; pass hour, day, week or month');
const least = minMagnitude === undefined ? 4.5 : minMagnitude;
const level = [4.5, 2.5, 1].find((m) => m <= least);
if (level === undefined && span === 'month') throw new Error('below magnitude 1 a month has too many earthquakes; pass a larger minMagnitude, or period week');
const radius = radiusKm === undefined ? 300 : radiusKm;
if (!(radius > 0 && radius <= 20000)) throw new Error('radiusKm must be between 1 and 20000, is ' + radiusKm);
const most = limit === undefined ? 10 : Math.min(limit, 100);
if (most < 1) throw new Error('limit must be between 1 and 100, is ' + limit);

const where = near === undefined ? '' : near.trim();
const pair = /^([-+]?\d{1,3}(?:\.\d+)?)\s*,\s*([-+]?\d{1,3}(?:\.\d+)?)$/.exec(where);
const centre = pair ? [Number(pair[1]), Number(pair[2])] : null;
if (centre !== null && (Math.abs(centre[0]) > 90 || Math.abs(centre[1]) > 180)) throw new Error('near is "' + near + '"; as coordinates pass latitude,longitude, such as 37.77,-122.42');

const feed = (level === undefined ? 'all' : level === 1 ? '1.0' : String(level)) + '_' + span + '.geojson';
const r = await fetch('https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/' + feed, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429) throw new Error('the rate limit of the earthquake service is reached; try again in a minute');
if (!r.ok) throw new Error('the earthquake service answered with status ' + r.status + '; try again later');
const d = r.json();

// Along the surface, with the mean radius of the earth.
const rad = Math.PI / 180;
function distance(lat, lon) {
  const a = Math.sin(((lat - centre[0]) * rad) / 2) ** 2 + Math.cos(lat * rad) * Math.cos(centre[0] * rad) * Math.sin(((lon - centre[1]) * rad) / 2) ** 2;
  return Math.round(6371 * 2 * Math.asin(Math.min(1, Math.sqrt(a))));
}
const quakes = [];
for (const f of d.features) {
  const p = f.properties;
  if (p.type !== 'earthquake' || p.mag === null || p.mag < least) continue; // there are blasts and ice quakes too
  const [lon, lat, depth] = f.geometry.coordinates;
  const one = {
    magnitude: Math.round(p.mag * 10) / 10,
    place: p.place || '',
    time: new Date(p.time).toISOString(),
    depthKm: typeof depth === 'number' ? Math.round(depth * 10) / 10 : null,
    latitude: lat,
    longitude: lon,
    tsunamiNotice: p.tsunami === 1,
    alert: p.alert || null,
    url: p.url,
  };
  if (centre !== null) {
    one.distanceKm = distance(lat, lon);
    if (one.distanceKm > radius) continue;
  } else if (where !== '' && !one.place.toLowerCase().includes(where.toLowerCase())) continue;
  quakes.push(one);
}
quakes.sort((a, b) => (a.time < b.time ? 1 : -1));
const strongest = quakes.reduce((a, b) => (a === null || b.magnitude > a.magnitude ? b : a), null);
return {
  period: span,
  minMagnitude: least,
  total: quakes.length,
  count: Math.min(quakes.length, most),
  strongest: strongest === null ? null : { magnitude: strongest.magnitude, place: strongest.place, time: strongest.time },
  earthquakes: quakes.slice(0, most),
  updatedAt: new Date(d.metadata.generated).toISOString(),
};
