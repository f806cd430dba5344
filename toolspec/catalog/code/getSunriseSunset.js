// Times of the sun at a place on a day, from sunrise-sunset.org.
const DAY = 86400000;
if (Math.abs(latitude) > 90) throw new Error('latitude must be between -90 and 90, is ' + latitude);
if (Math.abs(longitude) > 180) throw new Error('longitude must be between -180 and 180, is ' + longitude);
const zone = timeZone === undefined ? 'UTC' : timeZone.trim();
let clock;
try {
  clock = new Intl.DateTimeFormat('en-CA', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' });
} catch (e) {
  throw new Error('timeZone is "' + timeZone + '"; pass an IANA name such as Europe/Lisbon or Asia/Seoul');
}

// The time in the zone with its distance from UTC, such as 2026-06-21T05:43:10+02:00.
function local(ms) {
  const p = {};
  for (const part of clock.formatToParts(new Date(ms))) p[part.type] = Number(part.value);
  const wall = Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second);
  const minutes = Math.round((wall - ms) / 60000);
  const two = (n) => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  return new Date(wall).toISOString().slice(0, 19) + (minutes < 0 ? '-' : '+') + two(Math.floor(size / 60)) + ':' + two(size % 60);
}

const words = { __proto__: null, today: 0, tomorrow: 1, yesterday: -1 };
const text = date === undefined ? 'today' : date.trim().toLowerCase();
const today = Date.parse(local(Date.now()).slice(0, 10) + 'T00:00:00Z');
const day = words[text] === undefined ? text : new Date(today + words[text] * DAY).toISOString().slice(0, 10);
const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day + 'T00:00:00Z') : NaN;
if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) throw new Error('date is "' + date + '"; pass a day such as 2026-06-21, or today or tomorrow');

const asked = new URLSearchParams({ lat: String(latitude), lng: String(longitude), date: day, formatted: '0' });
const r = await fetch('https://api.sunrise-sunset.org/json?' + asked, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429) throw new Error('the rate limit of sunrise-sunset.org is reached; try again in a minute');
let d = {};
try { d = r.json(); } catch (e) { /* the body is not JSON */ }
if (!r.ok || d.status !== 'OK') throw new Error('sunrise-sunset.org gave no times (status ' + r.status + (d.status ? ', ' + d.status : '') + '); try again later');
const given = d.results;

// The service gives times in UTC, where they may fall on the day before or
// after; noon is put on the day in the zone, the rest around it.
let noon = Date.parse(given.solar_noon);
const noonDay = Date.parse(local(noon).slice(0, 10) + 'T00:00:00Z');
noon += Math.round((start - noonDay) / DAY) * DAY;
function around(value, after) {
  let t = Date.parse(value);
  if (Number.isNaN(t) || new Date(t).getUTCFullYear() <= 1970) return null; // it does not happen on this day
  t += Math.floor((noon - t) / DAY) * DAY; // the last one up to noon
  if (after && t < noon) t += DAY;
  return local(t);
}
const sunrise = around(given.sunrise, false);
const result = {
  date: day,
  timeZone: zone,
  sunrise,
  sunset: around(given.sunset, true),
  solarNoon: local(noon),
  dayLength: null,
  dawn: around(given.civil_twilight_begin, false),
  dusk: around(given.civil_twilight_end, true),
  astronomicalDawn: around(given.astronomical_twilight_begin, false),
  astronomicalDusk: around(given.astronomical_twilight_end, true),
};
if (sunrise !== null) {
  const minutes = Math.round(given.day_length / 60);
  result.dayLength = Math.floor(minutes / 60) + ' h ' + (minutes % 60) + ' min';
} else {
  // The sun is on one side of the horizon all day: by the season of the place.
  const year = (start - Date.UTC(Number(day.slice(0, 4)), 0, 1)) / DAY;
  const north = -Math.cos((2 * Math.PI * (year + 10)) / 365) > 0;
  const up = north === latitude > 0;
  result.dayLength = up ? '24 h 0 min' : '0 h 0 min';
  result.note = up ? 'The sun does not set on this day (midnight sun).' : 'The sun does not rise on this day (polar night).';
}
return result;
