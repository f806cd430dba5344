// Sorts wind readings into sectors and speed classes and draws the shares.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/say.js

// include shared/named.js

const NAMES = ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW'];
const parts = sectors === undefined ? 16 : sectors;
if (![4, 8, 16].includes(parts)) throw new Error('sectors must be 4, 8 or 16, is ' + parts);
if (directions.length === 0) throw new Error('directions is empty; pass where the wind came from, such as [350, 10, "NNE"]');
if (directions.length > 20000) throw new Error('there are ' + directions.length + ' readings, at most 20000 fit; take hourly ones');

// Speed classes that fit the unit, and what counts as calm.
const units = { 'm/s': [[2, 4, 6, 8, 10], 0.5], 'km/h': [[5, 10, 20, 30, 40], 2], mph: [[5, 10, 15, 20, 25], 1], kn: [[4, 7, 11, 17, 22], 1] };
const also = { ms: 'm/s', 'mps': 'm/s', kmh: 'km/h', kph: 'km/h', 'mi/h': 'mph', knots: 'kn', knot: 'kn', kt: 'kn', kts: 'kn' };
const asked = unit === undefined ? 'm/s' : unit.trim().toLowerCase();
const mark = Object.hasOwn(also, asked) ? also[asked] : asked;
if (!Object.hasOwn(units, mark)) throw new Error('unit must be m/s, km/h, mph or kn, is ' + show(unit));

function degrees(value, where) {
  if (typeof value === 'string' && /[a-z]/i.test(value)) {
    const short = value.toLowerCase().replace(/north/g, 'n').replace(/south/g, 's').replace(/east/g, 'e').replace(/west/g, 'w').replace(/[^a-z]/g, '').toUpperCase();
    const at = NAMES.indexOf(short);
    if (at < 0) throw new Error(where + ' is ' + show(value) + ', not a direction; pass degrees (0 is north, 90 east) or a name such as NNE');
    return at * 22.5;
  }
  const n = num(typeof value === 'string' ? value.replace(/°\s*$/, '') : value, where);
  if (n < 0 || n > 360) throw new Error(where + ' is ' + n + ', must be from 0 to 360 degrees');
  return n % 360;
}

const together = directions.some((d) => d !== null && typeof d === 'object');
const bySpeed = together || (speeds !== undefined && speeds.length > 0);
if (together && speeds !== undefined && speeds.length > 0) throw new Error('pass the speeds either within directions or as speeds, not both');
if (!together && bySpeed && speeds.length !== directions.length) throw new Error('directions has ' + directions.length + ' entries and speeds ' + speeds.length + '; each direction needs its speed');

let limits = bins === undefined || bins.length === 0 ? units[mark][0] : bins.map((b, i) => num(b, 'bins[' + i + ']'));
if (limits.length > 12) throw new Error('bins has ' + limits.length + ' limits, at most 12 can be told apart');
limits.forEach((b, i) => {
  if (b <= 0 || (i > 0 && b <= limits[i - 1])) throw new Error('bins must be limits above 0 that grow, such as [2, 4, 6], bins[' + i + '] is ' + b);
});
if (!bySpeed) limits = [];
const still = bySpeed ? Math.min(units[mark][1], limits[0]) : 0;

const counts = Array.from({ length: limits.length + 1 }, () => Array(parts).fill(0));
let total = 0;
let calm = 0;
let left = 0; // readings with a gap
let sum = 0;
directions.forEach((value, i) => {
  let d = value;
  let s = bySpeed && !together ? speeds[i] : undefined;
  let where = 'directions[' + i + ']';
  if (together && value !== null) {
    d = Array.isArray(value) ? value[0] : pick(value, ['direction', 'deg', 'degrees', 'from']);
    s = Array.isArray(value) ? value[1] : pick(value, ['speed', 'wind_speed', 'value']);
  }
  if (bySpeed && (s === null || s === undefined)) {
    left++;
    return;
  }
  const speed = bySpeed ? num(s, together ? where + '.speed' : 'speeds[' + i + ']') : 1;
  if (speed < 0) throw new Error((together ? where + '.speed' : 'speeds[' + i + ']') + ' is ' + speed + ', must not be negative');
  if (speed >= still && (d === null || d === undefined)) {
    left++;
    return;
  }
  total++;
  sum += speed;
  if (speed < still) {
    calm++;
    return;
  }
  const above = limits.findIndex((b) => speed < b);
  counts[above < 0 ? limits.length : above][Math.round(degrees(d, where) / (360 / parts)) % parts]++;
});
if (total === 0) throw new Error('all ' + left + ' readings have a gap; pass a direction and a speed for each');

const share = (n) => Math.round(n / total * 1000) / 10;
const payload = { type: 'windrose' };
if (heading !== '') payload.title = heading;
if (bySpeed) payload.unit = mark;
payload.sectors = NAMES.filter((_, i) => i % (16 / parts) === 0);
if (bySpeed) payload.classes = counts.map((_, i) => (i < limits.length ? { from: i === 0 ? still : limits[i - 1], to: limits[i] } : { from: limits[i - 1] }));
payload.percent = counts.map((line) => line.map(share));
payload.calm = share(calm);
payload.readings = total;
if (left > 0) payload.gaps = left;

const sums = payload.sectors.map((_, k) => counts.reduce((n, line) => n + line[k], 0));
const main = sums.reduce((at, n, k) => (n > sums[at] ? k : at), 0);
const wind = sums[main] === 0 ? 'all calm' : 'most from ' + payload.sectors[main] + ' (' + share(sums[main]) + ' %)' + (calm > 0 ? ', calm ' + share(calm) + ' %' : '');
const mean = bySpeed ? ', mean ' + say(Math.round(sum / total * 10) / 10) + ' ' + mark : '';
return card(named('Wind rose') + ': ' + total + (total === 1 ? ' reading' : ' readings') + ', ' + wind + mean + '.', payload);
