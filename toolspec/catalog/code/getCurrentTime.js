// Tells what the clock shows now in a time zone.
const asked = timeZone === undefined ? 'UTC' : timeZone.trim();

// clock takes a moment apart in a zone; null when there is no such zone. Upper
// and lower case do not matter.
function clock(zone) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', weekday: 'long' });
  } catch (e) {
    return null;
  }
}

// People write zones as UTC+9, seoul or "New York" too.
const REGIONS = ['Asia', 'Europe', 'America', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian', 'America/Argentina', 'Antarctica'];
const SHORT = { UTC: 'UTC', GMT: 'UTC', Z: 'UTC', KST: 'Asia/Seoul', JST: 'Asia/Tokyo', CET: 'Europe/Paris', CEST: 'Europe/Paris', EET: 'Europe/Athens', ET: 'America/New_York', EST: 'America/New_York', EDT: 'America/New_York', CT: 'America/Chicago', PT: 'America/Los_Angeles', PST: 'America/Los_Angeles', PDT: 'America/Los_Angeles', MT: 'America/Denver', KOREA: 'Asia/Seoul', JAPAN: 'Asia/Tokyo', UK: 'Europe/London' };
function find(text) {
  const offset = /^(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(text);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] || 0);
    if (minutes > 14 * 60 || Number(offset[3] || 0) > 59) return null;
    return { shift: offset[1] === '-' ? -minutes : minutes };
  }
  const name = (Object.hasOwn(SHORT, text.toUpperCase()) ? SHORT[text.toUpperCase()] : text).replace(/\s+/g, '_');
  for (const zone of [name, ...REGIONS.map((r) => r + '/' + name)]) {
    const found = clock(zone);
    if (found !== null) return { format: found, name: found.resolvedOptions().timeZone };
  }
  return null;
}

const zone = find(asked);
if (zone === null) throw new Error('timeZone is "' + asked.slice(0, 60) + '", which is no time zone; pass an IANA name such as Asia/Seoul, America/New_York or UTC');
const now = new Date();
const seconds = Math.floor(now.getTime() / 1000);
let shown; // the wall clock as if it were UTC
let weekday;
if (zone.format === undefined) {
  shown = (seconds + zone.shift * 60) * 1000;
  weekday = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][new Date(shown).getUTCDay()];
} else {
  const p = {};
  for (const part of zone.format.formatToParts(now)) p[part.type] = part.value;
  shown = Date.UTC(Number(p.year), Number(p.month) - 1, Number(p.day), Number(p.hour) % 24, Number(p.minute), Number(p.second));
  weekday = p.weekday;
}
const ahead = Math.round(shown / 1000 - seconds);
const two = (n) => String(n).padStart(2, '0');
const minutes = Math.floor(Math.abs(ahead) / 60);
const offset = (ahead < 0 ? '-' : '+') + two(Math.floor(minutes / 60)) + ':' + two(minutes % 60);
const text = new Date(shown).toISOString();
return {
  iso: text.slice(0, 19) + offset,
  date: text.slice(0, 10),
  time: text.slice(11, 19),
  weekday,
  timeZone: zone.format === undefined ? 'UTC' + offset : zone.name,
  utcOffset: offset,
  utc: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'),
  unixSeconds: seconds,
};
