// Works out when a cron expression runs next, on the clocks of a time zone.
const MINUTE = 60000;
const DAY = 86400000;
const place = zone === undefined ? 'UTC' : zone.trim();
const many = count === undefined ? 5 : count;
if (many < 1 || many > 100) throw new Error('count must be between 1 and 100, is ' + many);

// include shared/clock.js

const clock = clockOf(place);
if (!clock) throw new Error('zone "' + place + '" is no time zone; use an IANA name such as "Europe/Paris" or "UTC"');

const MACROS = {
  '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@monthly': '0 0 1 * *', '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *',
};
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const FIELDS = [
  { name: 'minute', low: 0, high: 59 },
  { name: 'hour', low: 0, high: 23 },
  { name: 'day of month', low: 1, high: 31 },
  { name: 'month', low: 1, high: 12, names: MONTHS },
  { name: 'day of week', low: 0, high: 7, names: DAYS },
];

function number(text, field) {
  const named = field.names && text.length >= 3 ? field.names.findIndex((n) => n.startsWith(text.toLowerCase())) : -1;
  if (named >= 0) return named + field.low;
  if (!/^\d{1,4}$/.test(text)) throw new Error('expression: "' + text + '" is no ' + field.name + '; use ' + field.low + ' to ' + field.high);
  const n = Number(text);
  if (n < field.low || n > field.high) throw new Error('expression: ' + field.name + ' ' + n + ' is outside ' + field.low + ' to ' + field.high);
  return n;
}

function parseField(text, field) {
  const set = new Set();
  for (const part of text.split(',')) {
    const [range, step, extra] = part.split('/');
    if (range === '' || extra !== undefined || step === '') throw new Error('expression: "' + text + '" is no valid ' + field.name);
    let low;
    let high;
    if (range === '*' || range === '?') {
      low = field.low;
      high = field.name === 'day of week' ? 6 : field.high;
    } else {
      const ends = range.split('-');
      if (ends.length > 2) throw new Error('expression: "' + range + '" is no valid range');
      low = number(ends[0], field);
      high = ends.length === 2 ? number(ends[1], field) : step === undefined ? low : field.high;
      // "fri-sun" and "5-0" end on the Sunday after.
      if (high < low && field.name === 'day of week' && high === 0) high = 7;
      if (high < low) throw new Error('expression: the range "' + range + '" of ' + field.name + ' runs backwards; split it in two');
    }
    const by = step === undefined ? 1 : Number(step);
    if (!/^\d+$/.test(step === undefined ? '1' : step) || by < 1) throw new Error('expression: the step "' + step + '" must be a whole number above 0');
    for (let n = low; n <= high; n += by) set.add(field.name === 'day of week' ? n % 7 : n);
  }
  return set;
}

const trimmed = expression.trim().replace(/\s+/g, ' ');
const text = trimmed[0] === '@' ? MACROS[trimmed.toLowerCase()] : trimmed;
if (!text) throw new Error('expression: "' + trimmed + '" is unknown; use ' + Object.keys(MACROS).join(', '));
const parts = text.split(' ');
if (parts.length !== 5) {
  throw new Error('expression: "' + expression + '" has ' + parts.length + ' fields, not 5: minute hour day-of-month month day-of-week');
}
const [minutes, hours, monthDays, months, weekDays] = parts.map((p, i) => parseField(p, FIELDS[i]));
const any = (p) => p[0] === '*' || p[0] === '?';
// When both days are given, cron runs on either.
const either = !any(parts[2]) && !any(parts[4]);
// A job at given hours runs once a day; one of every hour follows the real time.
const hourly = any(parts[1]);

let start;
if (from === undefined) {
  start = Date.now();
} else {
  const m = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|[-+]\d\d:?\d\d)?$/i.exec(from.trim());
  const offset = m && m[3] ? m[3].toUpperCase().replace(/^([-+]\d\d):?(\d\d)$/, '$1:$2') : 'Z';
  const local = m ? Date.parse(m[1] + 'T' + (m[2] || '00:00') + offset) : NaN;
  // Date.parse takes 30 February for 1 March.
  const exists = m && new Date(Date.parse(m[1] + 'T00:00Z')).toISOString().slice(0, 10) === m[1];
  if (Number.isNaN(local) || !exists) throw new Error('from "' + from + '" is not understood; write it like 2024-03-31T14:30 or 2024-03-31T14:30:00Z');
  start = m[3] ? local : firstInstant(local);
}

// instants gives when a local time is: never, once or twice.
function instants(local) {
  const offsets = new Set([offsetAt(clock, local - DAY), offsetAt(clock, local + DAY)]);
  return [...offsets].map((o) => local - o).filter((t) => t + offsetAt(clock, t) === local).sort((a, b) => a - b);
}

function firstInstant(local) {
  const hits = instants(local);
  return hits.length ? hits[0] : local - offsetAt(clock, local - DAY);
}

// gapEnd finds the minute at which the clocks go on again that skip a local time.
function gapEnd(local) {
  let low = local - offsetAt(clock, local + DAY); // before the change
  let high = local - offsetAt(clock, local - DAY); // after it
  const old = offsetAt(clock, low);
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
    if (offsetAt(clock, middle) === old) low = middle;
    else high = middle;
  }
  return high;
}

function onDay(day) {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const inMonth = monthDays.has(day.getUTCDate());
  const inWeek = weekDays.has(day.getUTCDay());
  return either ? inMonth || inWeek : inMonth && inWeek;
}

const inOrder = (set) => [...set].sort((a, b) => a - b);
const hourList = inOrder(hours);
const minuteList = inOrder(minutes);

function runsOn(midnight) {
  const found = new Set();
  // No change of the clocks near this day: local times have one offset.
  const offset = offsetAt(clock, midnight - DAY);
  const steady = offset === offsetAt(clock, midnight + 2 * DAY);
  for (const h of hourList) {
    for (const m of minuteList) {
      const local = midnight + (h * 60 + m) * MINUTE;
      const hits = steady ? [local - offset] : instants(local);
      if (hits.length === 0 && !hourly) found.add(gapEnd(local)); // late rather than never
      if (hits.length > 0) found.add(hits[0]);
      if (hits.length > 1 && hourly) found.add(hits[1]);
    }
  }
  return inOrder(found);
}

function isoText(instant) {
  const offset = offsetAt(clock, instant);
  const minutesOff = Math.round(Math.abs(offset) / MINUTE);
  const two = (n) => String(n).padStart(2, '0');
  return new Date(instant + offset).toISOString().slice(0, 19) + (offset < 0 ? '-' : '+') + two(Math.floor(minutesOff / 60)) + ':' + two(minutesOff % 60);
}

const runs = [];
let day = Math.floor((start + offsetAt(clock, start)) / DAY) * DAY - DAY;
// February 29 comes after 8 years at most.
for (let idle = 0; runs.length < many && idle < 9 * 366; idle++, day += DAY) {
  const date = new Date(day);
  if (date.getUTCFullYear() > 9998) break;
  if (!onDay(date)) continue;
  for (const t of runsOn(day)) {
    if (t > start && runs.length < many && (runs.length === 0 || t > runs[runs.length - 1])) {
      runs.push(t);
      idle = 0;
    }
  }
}
if (runs.length === 0) throw new Error('expression "' + expression + '" never runs: no such day comes');
const names = DAYS.map((d) => d[0].toUpperCase() + d.slice(1));
return {
  expression: text,
  zone: place,
  from: isoText(start),
  runs: runs.map((t) => ({ local: isoText(t), utc: new Date(t).toISOString().slice(0, 19) + 'Z', weekday: names[new Date(t + offsetAt(clock, t)).getUTCDay()] })),
};
