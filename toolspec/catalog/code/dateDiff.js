// Works out how long it is between two dates. Local times are worked with as
// milliseconds "as if UTC"; offsetAt ties them to real instants.

// include shared/units.js

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const place = zone === undefined ? 'UTC' : zone.trim();
const notes = [];

// include shared/clock.js

const clock = clockOf(place);
if (!clock) throw new Error('zone "' + place + '" is no time zone; use an IANA name such as "Europe/Paris" or "UTC"');

// toInstant finds when a local time is: of one that the clocks skip the moment
// after, of one that comes twice the first.
function toInstant(local) {
  const before = offsetAt(clock, local - DAY);
  const hits = [before, offsetAt(clock, local + DAY)].map((o) => local - o).filter((t) => t + offsetAt(clock, t) === local);
  return hits.length ? Math.min(...hits) : local - before;
}

// read gives {local, instant, timed}: the time on the clocks of zone, the real
// moment, and whether there is more than a day.
function read(text, param) {
  const given = text.trim();
  if (/^(now|today|yesterday|tomorrow)$/i.test(given)) {
    const now = Date.now();
    if (/^now$/i.test(given)) return { local: now + offsetAt(clock, now), instant: now, timed: true };
    const shift = { today: 0, yesterday: -1, tomorrow: 1 }[given.toLowerCase()];
    const local = Math.floor((now + offsetAt(clock, now)) / DAY) * DAY + shift * DAY;
    return { local, instant: toInstant(local), timed: false };
  }
  const m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[-+]\d\d:?\d\d)?$/i.exec(given);
  if (!m) throw new Error(param + ' "' + text + '" is not understood; write it like 2024-03-31, 2024-03-31T14:30 or 2024-03-31T14:30:00+02:00, or today (parseDate reads other forms)');
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map((x) => Number(x || 0));
  const timed = m[4] !== undefined;
  if (m[8] && !timed) throw new Error(param + ' "' + text + '" has an offset but no time; add the time, such as T00:00');
  const local = utc(year, month, day, hour, minute, second, Math.floor(Number('0.' + (m[7] || '0')) * 1000));
  if (year < 1 || hour > 23 || minute > 59 || second > 59 || new Date(local).getUTCDate() !== day || new Date(local).getUTCMonth() + 1 !== month) {
    throw new Error(param + ' "' + text + '" does not exist in the calendar');
  }
  if (!m[8]) return { local, instant: toInstant(local), timed };
  let instant = local;
  if (!/z/i.test(m[8])) {
    const hours = Number(m[8].slice(1, 3));
    const minutes = Number(m[8].slice(-2));
    if (hours > 23 || minutes > 59) throw new Error(param + ' "' + text + '" has an offset that does not exist');
    instant -= (m[8][0] === '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
  }
  return { local: instant + offsetAt(clock, instant), instant, timed };
}

function addMonths(local, months) {
  const d = new Date(local);
  const total = d.getUTCFullYear() * 12 + d.getUTCMonth() + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12;
  const last = new Date(utc(year, month + 2, 0, 0, 0, 0, 0)).getUTCDate();
  return utc(year, month + 1, Math.min(d.getUTCDate(), last), 0, 0, 0, 0) + (((local % DAY) + DAY) % DAY);
}

// A month is full when the same day of the month is reached, so that 31 January
// to 28 February is 28 days.
function fullMonths(start, end) {
  const a = new Date(start);
  const b = new Date(end);
  let months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
  const time = (t) => ((t % DAY) + DAY) % DAY;
  if (b.getUTCDate() < a.getUTCDate() || (b.getUTCDate() === a.getUTCDate() && time(end) < time(start))) months--;
  return months;
}

// workingDays counts Monday to Friday from one day up to before another.
function workingDays(first, end) {
  const days = Math.round((end - first) / DAY);
  const rest = days % 7;
  let count = Math.floor(days / 7) * 5;
  for (let i = 0; i < rest; i++) if (![0, 6].includes(new Date(end - (i + 1) * DAY).getUTCDay())) count++;
  return count;
}

const begin = read(from, 'from');
const finish = read(to, 'to');
const timed = begin.timed || finish.timed;
// Whole days are counted in the calendar, where none has 23 or 25 hours.
const elapsed = timed ? finish.instant - begin.instant : finish.local - begin.local;
const backwards = elapsed < 0;
const [a, b] = backwards ? [finish, begin] : [begin, finish];
if (timed && begin.timed !== finish.timed) notes.push((begin.timed ? 'to' : 'from') + ' has no time of day: midnight is taken');

let months = Math.max(0, fullMonths(a.local, b.local));
let anchor = addMonths(a.local, months);
let days = Math.floor((b.local - anchor) / DAY);
// What is left of the last day is real time, also when the clocks change in it.
let rest = 0;
if (timed) {
  const left = () => b.instant - (months === 0 && days === 0 ? a.instant : toInstant(anchor + days * DAY));
  rest = left();
  if (rest < 0 && days > 0) {
    days--;
    rest = left();
  } else if (rest < 0 && months > 0) { // the month is full in an hour that the clocks skip
    rest = 0;
  } else if (rest < 0 || days < 0) { // an hour that comes twice
    rest = Math.abs(elapsed);
    months = 0;
    days = 0;
  }
}
const parts = {
  years: Math.floor(months / 12), months: months % 12, days,
  hours: Math.floor(rest / HOUR), minutes: Math.floor(rest / MINUTE) % 60, seconds: (rest % MINUTE) / SECOND,
};

const words = [];
for (const name of Object.keys(parts)) {
  if (parts[name] === 0) continue;
  words.push(parts[name] + ' ' + (parts[name] === 1 ? name.slice(0, -1) : name));
}
const last = words.pop();
const startDay = Math.floor(a.local / DAY) * DAY;
const endDay = Math.floor(b.local / DAY) * DAY;
const sign = backwards ? -1 : 1;
const tidy = (x) => Number((sign * x).toFixed(6)) + 0;
const amount = Math.abs(elapsed);
const calendarDays = Math.round((endDay - startDay) / DAY);
if (timed && offsetAt(clock, a.instant) !== offsetAt(clock, b.instant)) notes.push('the clocks of ' + place + ' change in between');

function show(m) {
  const d = new Date(m.local);
  return { date: d.toISOString().slice(0, m.timed ? 19 : 10), weekday: WEEKDAYS[d.getUTCDay()] };
}

return {
  text: last === undefined ? 'no time at all' : words.length ? words.join(', ') + ' and ' + last : last,
  direction: elapsed === 0 ? 'same' : backwards ? 'to is earlier than from' : 'to is later than from',
  from: show(begin),
  to: show(finish),
  parts,
  calendarDays: sign * calendarDays + 0,
  weeks: { weeks: Math.floor(calendarDays / 7), days: calendarDays % 7 },
  workingDays: { afterFrom: workingDays(startDay + DAY, endDay + DAY), withBothEnds: workingDays(startDay, endDay + DAY) },
  total: { days: tidy(amount / DAY), hours: tidy(amount / HOUR), minutes: tidy(amount / MINUTE), seconds: tidy(amount / SECOND) },
  notes,
};
