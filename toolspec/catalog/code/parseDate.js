// Reads a date in one of many written forms. Local times are worked with as
// milliseconds "as if UTC"; an offset or the clock of a zone ties them to real
// instants.

// include shared/units.js

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
// Hours from UTC of the abbreviations that mean one thing, or that mail headers
// (RFC 2822) define.
const ABBREVIATIONS = {
  Z: 0, UT: 0, UTC: 0, GMT: 0, WET: 0, EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7, AKST: -9, AKDT: -8, HST: -10,
  WEST: 1, BST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3, SAST: 2, ICT: 7, WIB: 7, SGT: 8, HKT: 8, AWST: 8, PHT: 8, JST: 9, KST: 9,
  ACST: 9.5, ACDT: 10.5, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13,
};
const notes = [];

// include shared/clock.js

const place = zone === undefined ? 'UTC' : zone.trim();
let clock = clockOf(place);
if (!clock) throw new Error('zone "' + place + '" is no time zone; use an IANA name such as "Europe/Paris" or "UTC"');

// toInstant finds when a local time is. A time that the clocks skip moves
// forward by the gap; of one that comes twice the first is taken.
function toInstant(local) {
  const before = offsetAt(clock, local - DAY);
  const hits = [...new Set([before, offsetAt(clock, local + DAY)])].map((o) => local - o).filter((t) => t + offsetAt(clock, t) === local);
  if (hits.length === 0) notes.push('the clocks skip this time in that zone; it is moved forward');
  if (hits.length === 2) notes.push('this time comes twice in that zone; the first is taken');
  return hits.length ? Math.min(...hits) : local - before;
}

const fail = (why) => { throw new Error('text "' + text.trim().slice(0, 60) + '" ' + why); };

function dayOf(year, month, day) {
  const t = utc(year, month, day);
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || new Date(t).getUTCDate() !== day || new Date(t).getUTCMonth() + 1 !== month) return NaN;
  return t;
}

let base = Date.now();
if (now !== undefined) {
  base = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)$/i.test(now.trim()) ? Date.parse(now.trim()) : NaN;
  if (Number.isNaN(base)) throw new Error('now "' + now + '" must be a full moment such as 2026-11-21T09:00:00Z');
}
const today = () => { const t = base + offsetAt(clock, base); return Math.floor(t / DAY) * DAY; };

// number reads digits only: seconds, milliseconds or finer since 1970, or a
// date without signs between.
function number(digits) {
  const sign = /^@?-/.test(digits) ? -1 : 1;
  const [whole, part] = digits.replace(/^[@-]+/, '').split('.');
  if (digits[0] !== '@' && sign > 0 && part === undefined) {
    if (whole.length === 8 && dayOf(+whole.slice(0, 4), +whole.slice(4, 6), +whole.slice(6)) >= utc(1500, 1, 1)) {
      return { local: dayOf(+whole.slice(0, 4), +whole.slice(4, 6), +whole.slice(6)), precision: 'day', readAs: 'YYYYMMDD' };
    }
    if (whole.length === 14 && /^(19|20)/.test(whole)) {
      const m = /^(....)(..)(..)(..)(..)(..)$/.exec(whole).slice(1).map(Number);
      const day = dayOf(m[0], m[1], m[2]);
      if (day && m[3] < 24 && m[4] < 60 && m[5] < 60) return { local: day + m[3] * HOUR + m[4] * MINUTE + m[5] * SECOND, precision: 'second', readAs: 'YYYYMMDDhhmmss' };
    }
    if (whole.length === 4) return { local: dayOf(+whole, 1, 1), precision: 'year', readAs: 'year' };
  }
  if (whole.length < 9 && digits[0] !== '@') fail('is too short for a time since 1970; write @' + digits + ' if it is meant as seconds');
  const units = [[11, 1e-3, 'Unix seconds'], [14, 1, 'Unix milliseconds'], [17, 1e3, 'Unix microseconds'], [20, 1e6, 'Unix nanoseconds']];
  const [, per, readAs] = units.find(([most]) => whole.length <= most) || fail('has too many digits for a time since 1970');
  const count = sign * Number(whole + '.' + (part || 0));
  const instant = per < 1 ? Math.round(count * 1000) : Math.floor(count / per);
  return { instant, precision: per < 1 && part === undefined ? 'second' : 'millisecond', readAs };
}

let given = text.trim().replace(/^["']|["']$/g, '').replace(/[\s\u00a0\u202f]+/g, ' ').replace(/\u2212/g, '-').trim();
if (given.length > 100) fail('is too long; pass only the date');

// The time of day and what says where it is, cut out of the text.
let time = null;
let offset = null;
const halfOf = (word) => (/[전前]/.test(word) ? 'a' : 'p');
function cutTime() {
  let m = /(?:^|[T, ])(?:(오전|오후|午前|午後) ?)?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([ap])\.?m\b\.?)?/i.exec(given);
  let hit = m && { hour: m[2], minute: m[3], second: m[4], part: m[5], half: m[1] ? halfOf(m[1]) : m[6] };
  if (!m && (m = /(\d)T(\d\d)(\d\d)(\d\d)?(?=Z|[-+]|$)/i.exec(given))) {
    hit = { hour: m[2], minute: m[3], second: m[4] };
    m.index += 1; // the digit stays
    m[0] = m[0].slice(1);
  }
  if (!m && (m = /(?:^|[, ])(\d{1,2}) ?([ap])\.?m\b\.?/i.exec(given))) hit = { hour: m[1], half: m[2] };
  if (!m && (m = /(오전|오후|午前|午後)? ?(\d{1,2}) ?[시時点](?: ?(\d{1,2}) ?[분分])?(?: ?(\d{1,2}) ?[초秒])?/.exec(given))) {
    hit = { hour: m[2], minute: m[3], second: m[4], half: m[1] && halfOf(m[1]) };
    if (hit.half && Number(hit.hour) > 12) hit.half = undefined;
  }
  if (!m && (m = /\b(noon|midnight)\b/i.exec(given))) hit = { hour: /noon/i.test(m[1]) ? '12' : '0' };
  if (!m) return;
  const [hour, minute, second] = [hit.hour, hit.minute, hit.second].map((x) => Number(x || 0));
  if (minute > 59 || second > 59 || (hit.half ? hour < 1 || hour > 12 : hour > 23)) fail('has a time of day that does not exist');
  const full = hit.half ? (hour % 12) + (hit.half.toLowerCase() === 'p' ? 12 : 0) : hour;
  time = { ms: full * HOUR + minute * MINUTE + second * SECOND + Math.floor(Number('0.' + (hit.part || 0)) * 1000) };
  time.precision = hit.part ? 'millisecond' : hit.second ? 'second' : 'minute';
  let after = given.slice(m.index + m[0].length);
  const o = /^ ?(?:UTC|GMT)? ?([-+])(\d{1,2})(?::?(\d\d))?(?!\d)/i.exec(after);
  const named = /^ ?([A-Za-z]{1,4})(?![A-Za-z])/.exec(after);
  const iana = /^ ?\[?([A-Za-z_]+\/[A-Za-z_/+-]+\d*)\]?/.exec(after);
  if (o) {
    if (Number(o[2]) > 14 || Number(o[3] || 0) > 59) fail('has an offset that does not exist');
    offset = (o[1] === '-' ? -1 : 1) * (Number(o[2]) * HOUR + Number(o[3] || 0) * MINUTE);
    after = after.slice(o[0].length).replace(/\[[\w/+-]+\]|\([^)]*\)/, ' ');
  } else if (iana && clockOf(iana[1])) {
    clock = clockOf(iana[1]);
    after = after.slice(iana[0].length);
  } else if (named && Object.hasOwn(ABBREVIATIONS, named[1].toUpperCase())) {
    offset = ABBREVIATIONS[named[1].toUpperCase()] * HOUR;
    if (/^(cst|bst)$/i.test(named[1])) notes.push(named[1] + ' is taken as UTC' + offsetText(offset));
    after = after.slice(named[0].length).replace(/\([^)]*\)/, ' ');
  }
  given = (given.slice(0, m.index) + ' ' + after).replace(/ +/g, ' ').trim();
}

const pad = (n, width) => String(n).padStart(width || 2, '0');
function offsetText(ms) {
  const s = Math.abs(ms) / SECOND;
  return (ms < 0 ? '-' : '+') + pad(Math.floor(s / 3600)) + ':' + pad(Math.floor(s / 60) % 60) + (s % 60 ? ':' + pad(s % 60) : '');
}

function fullYear(digits) {
  if (digits.length > 2) return Number(digits);
  const year = Number(digits) + (Number(digits) < 69 ? 2000 : 1900);
  notes.push('the year ' + digits + ' is taken as ' + year);
  return year;
}

function addMonths(local, months) {
  const d = new Date(local);
  const total = d.getUTCFullYear() * 12 + d.getUTCMonth() + months;
  const [year, month] = [Math.floor(total / 12), total - Math.floor(total / 12) * 12];
  return utc(year, month + 1, Math.min(d.getUTCDate(), new Date(utc(year, month + 2, 0)).getUTCDate()));
}

const WEEKDAY = 'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?';
const weekdayOf = (word) => WEEKDAYS.findIndex((d) => d.toLowerCase().startsWith(word.toLowerCase().slice(0, 3)));

// relative reads words that count from now.
function relative(words) {
  const day = (local) => ({ local, precision: 'day', readAs: 'words' });
  if (words === '' || words === 'today' || words === 'now') {
    if (words === 'now' && !time) return { instant: base, precision: 'millisecond', readAs: 'words' };
    if (words === '') notes.push('no date was given: today is taken');
    return day(today());
  }
  const near = { tomorrow: 1, yesterday: -1, 'the day after tomorrow': 2, 'day after tomorrow': 2, 'the day before yesterday': -2, 'day before yesterday': -2 };
  if (Object.hasOwn(near, words)) return day(today() + near[words] * DAY);
  let m = new RegExp('^(?:(next|last|this|coming) )?(' + WEEKDAY + ')$').exec(words);
  if (m) {
    const ahead = (weekdayOf(m[2]) - new Date(today()).getUTCDay() + 7) % 7;
    if (m[1] === 'last') return day(today() + (ahead - 7) * DAY);
    if (m[1] === 'next') notes.push('next ' + WEEKDAYS[weekdayOf(m[2])] + ' is taken as the first one after today');
    return day(today() + (ahead || (m[1] === 'this' ? 0 : 7)) * DAY);
  }
  m = /^(?:(in) )?(an?|\d{1,6}) (second|minute|hour|day|week|month|year)s?(?: (ago|from now|from today|later))?$/.exec(words);
  let many = m && (m[1] || m[4]) ? Number(/^a/.test(m[2]) ? 1 : m[2]) * (m[4] === 'ago' ? -1 : 1) : 0;
  let unit = m && m[3];
  if (!m) {
    m = /^(next|last) (week|month|year)$/.exec(words);
    if (m) [many, unit] = [m[1] === 'next' ? 1 : -1, m[2]];
  } else if (!m[1] && !m[4]) {
    return null;
  }
  if (!m) return null;
  const exact = { second: SECOND, minute: MINUTE, hour: HOUR }[unit];
  if (exact) return { instant: Math.floor(base / SECOND) * SECOND + many * exact, precision: 'second', readAs: 'words' };
  return day(unit === 'day' || unit === 'week' ? today() + many * DAY * (unit === 'week' ? 7 : 1) : addMonths(today(), many * (unit === 'year' ? 12 : 1)));
}

// numeric reads three numbers whose order is not said.
function numeric(a, sign, b, c) {
  const asked = order === undefined ? '' : order.trim().toUpperCase();
  if (!/^(|DMY|MDY|YMD)$/.test(asked)) throw new Error('order must be DMY, MDY or YMD, is "' + order + '"');
  const readings = {
    DMY: () => [c, b, a], MDY: () => [c, a, b], YMD: () => [a, b, c],
  };
  let orders = asked ? [asked] : sign === '.' ? ['DMY'] : sign === '/' || c.length === 4 ? ['DMY', 'MDY'] : ['DMY', 'MDY', 'YMD'];
  const valid = (o) => {
    const [y, m, d] = readings[o]();
    return !Number.isNaN(dayOf(y.length > 2 ? Number(y) : 2000 + Number(y), Number(m), Number(d))) && (o !== 'YMD' || c.length < 3);
  };
  orders = orders.filter(valid);
  if (orders.length === 0) fail(asked ? 'is no date in the order ' + asked : 'does not exist in the calendar');
  const same = new Set(orders.map((o) => readings[o]().map(Number).join()));
  if (same.size > 1) {
    const say = orders.map((o) => { const [y, m, d] = readings[o](); return o + ' (' + Number(d) + ' ' + MONTHS[m - 1][0].toUpperCase() + MONTHS[m - 1].slice(1) + ' ' + (y.length > 2 ? y : '20' + y) + ')'; });
    fail('can be read in more than one way; pass order ' + say.join(' or '));
  }
  const [y, m, d] = readings[orders[0]]();
  return { local: dayOf(fullYear(y), Number(m), Number(d)), precision: 'day', readAs: 'numbers, ' + orders[0] };
}

function calendar() {
  const plain = given.toLowerCase().replace(/(?:,? (?:at|on))+$|^(?:(?:on|at) )+/g, '').replace(/[, ]+$|^[, ]+/g, '');
  const spoken = relative(plain);
  if (spoken) return spoken;
  const weekday = new RegExp('(?:^|[ ,(])(' + WEEKDAY + ')\\b\\.?,?').exec(plain);
  const s = (weekday ? plain.replace(weekday[0], ' ') : plain)
    .replace(/[(（][월화수목금토일月火水木金土日][)）]|[월화수목금토일]요일|[月火水木金土日]曜日/g, '')
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1').replace(/\b(?:the|of|at|on)\b/g, ' ')
    .replace(/ *([-/.,]) */g, '$1').replace(/[., ]+$|^[., ]+/g, '').replace(/ +/g, ' ');
  const month = (word) => MONTHS.findIndex((n) => word.length >= 3 && (n.startsWith(word) || (word === 'sept' && n === 'september'))) + 1;
  const make = (y, m, d, readAs, precision) => ({ local: dayOf(y, m, d), precision: precision || 'day', readAs, weekday: weekday && weekdayOf(weekday[1]) });
  let m;
  if ((m = /^(\d{4})([-/.:])(\d{1,2})\2(\d{1,2})$/.exec(s))) return make(+m[1], +m[3], +m[4], m[2] === '-' ? 'ISO 8601' : 'numbers, YMD');
  if ((m = /^(\d{4})(\d\d)(\d\d)$/.exec(s))) return make(+m[1], +m[2], +m[3], 'YYYYMMDD');
  if ((m = /^(\d{4})-?w(\d\d)(?:-?([1-7]))?$/.exec(s))) {
    const first = utc(+m[1], 1, 4);
    const start = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY;
    const local = start + ((+m[2] - 1) * 7 + (+(m[3] || 1) - 1)) * DAY;
    return { local: +m[2] >= 1 && new Date(local + (4 - +(m[3] || 1)) * DAY).getUTCFullYear() === +m[1] ? local : NaN, precision: m[3] ? 'day' : 'week', readAs: 'ISO week' };
  }
  if ((m = /^(\d{4})-(\d{3})$/.exec(s))) {
    const local = utc(+m[1], 1, 1) + (+m[2] - 1) * DAY;
    return { local: +m[2] >= 1 && new Date(local).getUTCFullYear() === +m[1] ? local : NaN, precision: 'day', readAs: 'day of the year' };
  }
  if ((m = /^(\d{4})[-/.](\d{1,2})$/.exec(s))) return make(+m[1], +m[2], 1, 'year and month', 'month');
  if ((m = /^(\d{1,2})[-/.](\d{4})$/.exec(s))) return make(+m[2], +m[1], 1, 'month and year', 'month');
  if ((m = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d\d)$/.exec(s))) return { ...numeric(m[1], m[2], m[3], m[4]), weekday: weekday && weekdayOf(weekday[1]) };
  if ((m = /^(\d{4}) ?[년年] ?(\d{1,2}) ?[월月](?: ?(\d{1,2}) ?[일日号])?$/.exec(s))) return make(+m[1], +m[2], +(m[3] || 1), 'year, month, day in characters', m[3] ? 'day' : 'month');
  const named = (word) => month(word) || fail('has no month called "' + word + '"; use English names');
  if ((m = /^(\d{1,2})[-/. ]?([a-z]{3,9})[-/., ]*'?(\d{4}|\d\d)?$/.exec(s))) return make(m[3] ? fullYear(m[3]) : thisYear(), named(m[2]), +m[1], 'day, name of month');
  if ((m = /^([a-z]{3,9})[-/., ]*(\d{1,2})(?:[-/., ]+'?(\d{4}|\d\d))?$/.exec(s))) return make(m[3] ? fullYear(m[3]) : thisYear(), named(m[1]), +m[2], 'name of month, day');
  if ((m = /^(\d{4})[-/., ]*([a-z]{3,9})[-/., ]*(\d{1,2})$/.exec(s))) return make(+m[1], named(m[2]), +m[3], 'year, name of month, day');
  if ((m = /^([a-z]{3,9})[-/., ]*(\d{4})$/.exec(s))) return make(+m[2], named(m[1]), 1, 'month and year', 'month');
  return fail('is not understood; write it like 2026-11-21, 21 Nov 2026 17:30, 11/21/2026, Sat, 21 Nov 2026 08:15:00 -0500, 1795000000 or tomorrow 5 pm');
}

function thisYear() {
  const year = new Date(today()).getUTCFullYear();
  notes.push('no year was given: ' + year + ' is taken');
  return year;
}

const counted = /^@?-?\d+(\.\d+)?$/.test(given) && !/^\d{1,2}\.\d{1,4}$/.test(given);
if (!counted) cutTime();
const found = counted ? number(given) : calendar();
let instant = found.instant;
let precision = found.precision;
if (instant === undefined) {
  if (Number.isNaN(found.local)) fail('does not exist in the calendar');
  const shown = WEEKDAYS[new Date(found.local).getUTCDay()];
  if (typeof found.weekday === 'number' && shown !== WEEKDAYS[found.weekday]) notes.push('that day is a ' + shown + ', not a ' + WEEKDAYS[found.weekday]);
  const local = found.local + (time ? time.ms : 0);
  if (time) precision = time.precision;
  instant = offset === null ? toInstant(local) : local - offset;
}
if (!(instant >= utc(1, 1, 3) && instant <= utc(9999, 12, 29))) fail('is outside the years 1 to 9999');
if (offset === null) offset = offsetAt(clock, instant);
const local = instant + offset;
const d = new Date(local);
const date = pad(d.getUTCFullYear(), 4) + '-' + pad(d.getUTCMonth() + 1) + '-' + pad(d.getUTCDate());
const timed = /second|minute/.test(precision);
const clockText = d.toISOString().slice(11, d.getUTCMilliseconds() ? 23 : 19);
const thursday = new Date(Math.floor(local / DAY) * DAY + (4 - (d.getUTCDay() || 7)) * DAY); // its year is that of the week
const weekYear = thursday.getUTCFullYear();
return {
  iso: timed ? date + 'T' + clockText + offsetText(offset) : date,
  date,
  time: timed ? clockText : null,
  weekday: WEEKDAYS[d.getUTCDay()],
  offset: offsetText(offset),
  utc: new Date(instant).toISOString(),
  epochSeconds: Math.floor(instant / SECOND),
  epochMilliseconds: instant,
  isoWeek: pad(weekYear, 4) + '-W' + pad(Math.floor((thursday.getTime() - utc(weekYear, 1, 1)) / DAY / 7) + 1),
  precision,
  readAs: found.readAs,
  notes,
};
