// Shows a moment on the clocks of other time zones. Local times are worked with
// as milliseconds "as if UTC"; offsetAt ties them to real instants.
const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const notes = [];
const note = (text) => { if (!notes.includes(text)) notes.push(text); };

// What people say and the IANA database does not.
const SPOKEN = {
  et: 'America/New_York', est: 'America/New_York', edt: 'America/New_York', eastern: 'America/New_York',
  ct: 'America/Chicago', cdt: 'America/Chicago', central: 'America/Chicago',
  mt: 'America/Denver', mst: 'America/Denver', mdt: 'America/Denver', mountain: 'America/Denver',
  pt: 'America/Los_Angeles', pst: 'America/Los_Angeles', pdt: 'America/Los_Angeles', pacific: 'America/Los_Angeles',
  akst: 'America/Anchorage', akdt: 'America/Anchorage', hst: 'Pacific/Honolulu', bst: 'Europe/London', cest: 'Europe/Berlin', eest: 'Europe/Athens',
  jst: 'Asia/Tokyo', kst: 'Asia/Seoul', sgt: 'Asia/Singapore', hkt: 'Asia/Hong_Kong', pht: 'Asia/Manila', wib: 'Asia/Jakarta', ict: 'Asia/Bangkok', msk: 'Europe/Moscow',
  aest: 'Australia/Sydney', aedt: 'Australia/Sydney', awst: 'Australia/Perth', nzst: 'Pacific/Auckland', nzdt: 'Pacific/Auckland', sast: 'Africa/Johannesburg',
  san_francisco: 'America/Los_Angeles', seattle: 'America/Los_Angeles', california: 'America/Los_Angeles', boston: 'America/New_York', washington: 'America/New_York',
  miami: 'America/New_York', atlanta: 'America/New_York', dallas: 'America/Chicago', houston: 'America/Chicago', austin: 'America/Chicago', montreal: 'America/Toronto', ottawa: 'America/Toronto',
  rio_de_janeiro: 'America/Sao_Paulo', beijing: 'Asia/Shanghai', china: 'Asia/Shanghai', india: 'Asia/Kolkata', mumbai: 'Asia/Kolkata', delhi: 'Asia/Kolkata', new_delhi: 'Asia/Kolkata', bangalore: 'Asia/Kolkata',
  osaka: 'Asia/Tokyo', busan: 'Asia/Seoul', korea: 'Asia/Seoul', hanoi: 'Asia/Bangkok', munich: 'Europe/Berlin', frankfurt: 'Europe/Berlin', hamburg: 'Europe/Berlin', germany: 'Europe/Berlin',
  france: 'Europe/Paris', barcelona: 'Europe/Madrid', milan: 'Europe/Rome', italy: 'Europe/Rome', geneva: 'Europe/Zurich', uk: 'Europe/London', abu_dhabi: 'Asia/Dubai', cape_town: 'Africa/Johannesburg',
};
const SEVERAL = { cst: 'America/Chicago or Asia/Shanghai', ist: 'Asia/Kolkata, Asia/Jerusalem or Europe/Dublin', usa: 'America/New_York, America/Chicago, America/Denver or America/Los_Angeles' };
const REGIONS = ['', 'Europe/', 'Asia/', 'America/', 'Africa/', 'Australia/', 'Pacific/', 'Atlantic/', 'Indian/', 'America/Argentina/'];

// include shared/clock.js

function findZone(asked, param) {
  const text = asked.trim();
  const fixed = /^(?:UTC|GMT)?\s*([-+\u2212])(\d{1,2})(?::?(\d\d))?$/i.exec(text);
  if (fixed) {
    const hours = Number(fixed[2]);
    const minutes = Number(fixed[3] || 0);
    if (hours > 14 || minutes > 59) throw new Error(param + ': no place is at "' + text + '"; offsets run from -12:00 to +14:00');
    const offset = (fixed[1] === '+' ? 1 : -1) * (hours * HOUR + minutes * MINUTE);
    return { name: 'UTC' + offsetText(offset), offsetAt: () => offset };
  }
  // "new york" and "São Paulo" are New_York and Sao_Paulo in the database.
  const plain = text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').replace(/\s+time$/i, '').replace(/\s+/g, '_');
  const key = plain.toLowerCase();
  if (Object.hasOwn(SEVERAL, key)) throw new Error(param + ': "' + text + '" is more than one time zone; say ' + SEVERAL[key]);
  const spoken = Object.hasOwn(SPOKEN, key) ? SPOKEN[key] : undefined;
  for (const region of spoken ? [''] : REGIONS) {
    const clock = /^[\w+/-]+$/.test(plain) && clockOf(spoken || region + plain);
    if (!clock) continue;
    const name = clock.resolvedOptions().timeZone;
    if (spoken || region) note('"' + text + '" is taken as ' + name);
    return { name, offsetAt: (instant) => offsetAt(clock, instant) };
  }
  throw new Error(param + ': "' + text + '" is no time zone that is known; use an IANA name of a large city in it, such as "Europe/Paris", or an offset such as "+09:00"');
}

const pad = (n) => String(n).padStart(2, '0');

function offsetText(offset) {
  const s = Math.abs(offset) / 1000;
  return (offset < 0 ? '-' : '+') + pad(Math.floor(s / 3600)) + ':' + pad(Math.floor(s / 60) % 60) + (s % 60 ? ':' + pad(s % 60) : '');
}

function localText(local) {
  return new Date(local).toISOString().replace(/\.000Z$|Z$/, '');
}

// instants gives when a local time is: never, once or twice.
function instants(zone, local) {
  const offsets = new Set([zone.offsetAt(local - DAY), zone.offsetAt(local + DAY)]);
  return [...offsets].map((o) => local - o).filter((t) => t + zone.offsetAt(t) === local).sort((a, b) => a - b);
}

let second; // the other moment, of a local time that comes twice

function toInstant(zone, local) {
  const hits = instants(zone, local);
  if (hits.length === 0) {
    const moved = local - zone.offsetAt(local - DAY);
    note(localText(local) + ' does not exist in ' + zone.name + ': the clocks are put forward over it. Taken as ' + localText(moved + zone.offsetAt(moved)));
    return moved;
  }
  if (hits.length === 2) {
    second = hits[1];
    note(localText(local) + ' comes twice in ' + zone.name + ': the clocks are put back. The first is taken (' + offsetText(zone.offsetAt(hits[0])) + '); "second" is for the other (' + offsetText(zone.offsetAt(hits[1])) + ')');
  }
  return hits[0];
}

const source = findZone(from === undefined ? 'UTC' : from, 'from');
const HELP = '; write it like 2026-03-12T09:00, 2026-03-12T09:00:00+01:00, 15:30, 3 pm or now (parseDate reads other forms)';

function clockTime(hour, minute, half) {
  if (minute > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) throw new Error('time "' + time + '" is no time of a day' + HELP);
  if (!half) return hour * HOUR + minute * MINUTE;
  return ((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)) * HOUR + minute * MINUTE;
}

function moment() {
  const text = time.trim();
  if (/^now$/i.test(text)) return Date.now();
  let m = /^(\d{1,2})(?::(\d\d))?\s*(?:([ap])\.?m\.?)?$/i.exec(text);
  if (m && (m[2] !== undefined || m[3])) {
    const now = Date.now();
    const today = Math.floor((now + source.offsetAt(now)) / DAY) * DAY;
    note('no date was given: today in ' + source.name + ' is taken');
    return toInstant(source, today + clockTime(Number(m[1]), Number(m[2] || 0), m[3]));
  }
  m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(?:([ap])\.?m\.?)?)?\s*(Z|UTC|GMT|[-+]\d\d:?\d\d)?$/i.exec(text);
  if (!m) throw new Error('time "' + time + '" is not understood' + HELP);
  if (m[9] && m[4] === undefined) throw new Error('time "' + time + '" has an offset but no time of day; add it, such as T09:00');
  const [year, month, day] = m.slice(1, 4).map(Number);
  const midnight = utc(year, month, day, 0, 0, 0, 0);
  if (year < 1 || new Date(midnight).getUTCDate() !== day || new Date(midnight).getUTCMonth() + 1 !== month) throw new Error('time "' + time + '" does not exist in the calendar');
  if (Number(m[6] || 0) > 59) throw new Error('time "' + time + '" is no time of a day' + HELP);
  const local = midnight + clockTime(Number(m[4] || 0), Number(m[5] || 0), m[8]) + Number(m[6] || 0) * 1000 + Math.floor(Number('0.' + (m[7] || 0)) * 1000);
  if (m[4] === undefined) note('no time of day was given: midnight is taken');
  if (!m[9]) return toInstant(source, local);
  if (from !== undefined) note('time names its own offset; from is used only to show it');
  if (!/\d/.test(m[9])) return local;
  const hours = Number(m[9].slice(1, 3));
  const minutes = Number(m[9].slice(-2));
  if (hours > 23 || minutes > 59) throw new Error('time "' + time + '" has an offset that does not exist');
  return local - (m[9][0] === '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

const targets = to.split(',').map((z) => z.trim()).filter((z) => z !== '');
if (targets.length === 0 || targets.length > 20) throw new Error('to must name 1 to 20 time zones, such as "Asia/Tokyo" or "Asia/Tokyo, Europe/Paris"');
const instant = moment();
if (!(instant >= utc(1, 1, 3, 0, 0, 0, 0) && instant <= utc(9999, 12, 29, 0, 0, 0, 0))) throw new Error('time is outside the years 1 to 9999');

function show(zone, at) {
  const offset = zone.offsetAt(at);
  const local = at + offset;
  return { zone: zone.name, local: localText(local) + offsetText(offset), weekday: WEEKDAYS[new Date(local).getUTCDay()] };
}

const sourceDay = Math.floor((instant + source.offsetAt(instant)) / DAY);
const results = targets.map((name) => {
  const zone = findZone(name, 'to');
  const days = Math.floor((instant + zone.offsetAt(instant)) / DAY) - sourceDay;
  const one = show(zone, instant);
  one.day = days === 0 ? 'same day' : days > 0 ? 'next day' : 'previous day';
  if (Math.abs(days) > 1) one.day = Math.abs(days) + ' days ' + (days > 0 ? 'later' : 'earlier');
  one.difference = offsetText(zone.offsetAt(instant) - source.offsetAt(instant));
  if (second !== undefined) one.second = show(zone, second).local;
  return one;
});
return { from: show(source, instant), utc: new Date(instant).toISOString(), results, notes };
