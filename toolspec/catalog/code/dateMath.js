// Adds an amount of time to a date in a time zone. Local times are worked with
// as milliseconds "as if UTC"; offsetAt ties them to real instants.

// include shared/units.js

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const place = zone === undefined ? 'UTC' : zone.trim();
const notes = [];

// include shared/clock.js

const clock = clockOf(place);
if (!clock) throw new Error('zone "' + place + '" is no time zone; use an IANA name such as "Europe/Paris" or "UTC"');

function pad(n, width) {
  return String(n).padStart(width, '0');
}

function localText(local) {
  const d = new Date(local);
  const ms = d.getUTCMilliseconds();
  return pad(d.getUTCFullYear(), 4) + '-' + pad(d.getUTCMonth() + 1, 2) + '-' + pad(d.getUTCDate(), 2)
    + 'T' + pad(d.getUTCHours(), 2) + ':' + pad(d.getUTCMinutes(), 2) + ':' + pad(d.getUTCSeconds(), 2)
    + (ms ? '.' + pad(ms, 3) : '');
}

function offsetText(offset) {
  const s = Math.abs(offset) / SECOND;
  return (offset < 0 ? '-' : '+') + pad(Math.floor(s / 3600), 2) + ':' + pad(Math.floor(s / 60) % 60, 2)
    + (s % 60 ? ':' + pad(s % 60, 2) : '');
}

// toInstant finds when a local time is. A time that the clocks skip moves
// forward by the gap; of one that happens twice the first is taken.
function toInstant(local) {
  const before = offsetAt(clock, local - DAY);
  const after = offsetAt(clock, local + DAY);
  const hits = [...new Set([before, after])].map((o) => local - o).filter((t) => t + offsetAt(clock, t) === local).sort((a, b) => a - b);
  if (hits.length === 0) {
    const moved = local - before;
    notes.push(localText(local) + ' does not exist in ' + place + ' (the clocks skip it); moved to ' + localText(moved + offsetAt(clock, moved)));
    return moved;
  }
  if (hits.length === 2) notes.push(localText(local) + ' happens twice in ' + place + ' (the clocks go back); the first is taken');
  return hits[0];
}

function parse() {
  const m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[-+]\d\d:?\d\d)?$/i.exec(date.trim());
  if (!m) throw new Error('date "' + date + '" is not understood; write it like 2024-03-31, 2024-03-31T14:30 or 2024-03-31T14:30:00+02:00');
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map((x) => Number(x || 0));
  if (m[8] && m[4] === undefined) throw new Error('date "' + date + '" has an offset but no time; add the time, such as T00:00');
  const local = utc(year, month, day, hour, minute, second, Math.floor(Number('0.' + (m[7] || '0')) * 1000));
  if (year < 1 || hour > 23 || minute > 59 || second > 59 || new Date(local).getUTCDate() !== day || new Date(local).getUTCMonth() + 1 !== month) {
    throw new Error('date "' + date + '" does not exist in the calendar');
  }
  if (!m[8]) return toInstant(local);
  if (/z/i.test(m[8])) return local;
  const hours = Number(m[8].slice(1, 3));
  const minutes = Number(m[8].slice(-2));
  if (hours > 23 || minutes > 59) throw new Error('date "' + date + '" has an offset that does not exist');
  return local - (m[8][0] === '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

const EXACT = { millisecond: 1, second: SECOND, minute: MINUTE, hour: HOUR };

function addMonths(local, months) {
  const d = new Date(local);
  const day = d.getUTCDate();
  const total = d.getUTCFullYear() * 12 + d.getUTCMonth() + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12;
  const last = new Date(utc(year, month + 2, 0, 0, 0, 0, 0)).getUTCDate();
  if (day > last) notes.push('that month has only ' + last + ' days; the last one is taken');
  return utc(year, month + 1, Math.min(day, last), 0, 0, 0, 0) + (((local % DAY) + DAY) % DAY);
}

function addBusinessDays(local, days) {
  if (days === 0) return local;
  const step = days > 0 ? 1 : -1;
  const weekend = (t) => [0, 6].includes(new Date(t).getUTCDay());
  while (weekend(local)) local -= step * DAY; // counting starts at the last working day
  local += Math.trunc(days / 5) * 7 * DAY;
  for (let left = Math.abs(days % 5); left > 0;) {
    local += step * DAY;
    if (!weekend(local)) left--;
  }
  return local;
}

const name = unit.trim().toLowerCase().replace(/[\s_-]/g, '').replace(/s$/, '');
const calendar = {
  day: (t) => t + amount * DAY,
  week: (t) => t + amount * 7 * DAY,
  month: (t) => addMonths(t, amount),
  quarter: (t) => addMonths(t, 3 * amount),
  year: (t) => addMonths(t, 12 * amount),
  businessday: (t) => addBusinessDays(t, amount),
};
const exact = Object.hasOwn(EXACT, name);
if (!exact && !Object.hasOwn(calendar, name)) {
  throw new Error('unit "' + unit + '" is unknown; use milliseconds, seconds, minutes, hours, days, businessDays, weeks, months, quarters or years');
}
if (!exact && !Number.isInteger(amount)) {
  throw new Error('amount must be a whole number of ' + unit + '; use hours for a part of a day');
}
if (Math.abs(amount) > 1e15) throw new Error('amount is too large');

const start = parse();
let end;
if (exact) {
  end = start + Math.round(amount * EXACT[name]);
} else {
  const from = start + offsetAt(clock, start);
  const to = calendar[name](from);
  // Nothing to add keeps the very instant, also in an hour that happens twice.
  end = to === from ? start : NaN;
  if (to !== from && to >= utc(1, 1, 2, 0, 0, 0, 0) && to <= utc(9999, 12, 30, 0, 0, 0, 0)) end = toInstant(to);
}
if (!(end >= utc(1, 1, 2, 0, 0, 0, 0) && end <= utc(9999, 12, 31, 0, 0, 0, 0))) {
  throw new Error('the result is outside the years 1 to 9999; use a smaller amount');
}
const offset = offsetAt(clock, end);
const local = localText(end + offset);
return {
  result: local + offsetText(offset),
  date: local.slice(0, 10),
  time: local.slice(11),
  weekday: WEEKDAYS[new Date(end + offset).getUTCDay()],
  zone: place,
  offset: offsetText(offset),
  utc: new Date(end).toISOString(),
  elapsedSeconds: (end - start) / SECOND,
  notes,
};
