// Writes zones.txt: the time zone names that the Go distribution embeds and
// Node knows too, and what English calls each of them. Run with the Go
// distribution's folder as argument: node testdata/zones.mjs "$(go env GOROOT)"
import { readFileSync, writeFileSync } from 'node:fs';

// zipNames lists the files of a ZIP archive from its central directory.
function zipNames(buf) {
  let end = buf.length - 22;
  while (end >= 0 && buf.readUInt32LE(end) !== 0x06054b50) end--;
  const names = [];
  let at = buf.readUInt32LE(end + 16);
  for (let i = buf.readUInt16LE(end + 10); i > 0; i--) {
    const n = buf.readUInt16LE(at + 28);
    names.push(buf.toString('utf8', at + 46, at + 46 + n));
    at += 46 + n + buf.readUInt16LE(at + 30) + buf.readUInt16LE(at + 32);
  }
  return names.filter((n) => !n.endsWith('/'));
}

function known(zone) {
  try { new Intl.DateTimeFormat('en', { timeZone: zone }); return true; } catch { return false; }
}
function name(locale, zone, style, t) {
  const f = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style, hour: 'numeric' });
  return f.formatToParts(t).find((p) => p.type === 'timeZoneName').value;
}
function offset(zone, t) {
  const m = /GMT([+-])(\d\d):(\d\d)/.exec(name('en-US', zone, 'longOffset', t));
  return m ? (m[1] + 1) * (m[2] * 60 + +m[3]) : 0;
}

const archive = readFileSync(`${process.argv[2]}/lib/time/zoneinfo.zip`);
const lower = (s) => s.toLowerCase();
const zones = zipNames(archive).filter(known)
  .sort((a, b) => (lower(a) < lower(b) ? -1 : 1));
const classes = new Map();
zones.forEach((zone) => {
  // A winter and a summer day; the one that is further ahead is daylight time.
  let times = [Date.UTC(2025, 0, 15), Date.UTC(2025, 6, 15)];
  if (offset(zone, times[0]) > offset(zone, times[1])) times.reverse();
  const same = offset(zone, times[0]) === offset(zone, times[1]);
  const names = (locale, style) => times.map((t, i) => {
    const n = name(locale, zone, style, t);
    return (i === 1 && same) || /^GMT[+-]/.test(n) ? '' : n;
  });
  const key = JSON.stringify([names('en-US', 'long'),
    ['en-US', 'en-GB', 'en-CA'].map((l) => names(l, 'short'))]);
  if (!classes.has(key)) classes.set(key, []);
  classes.get(key).push(zone);
});
const rows = [...classes].map(([key, names]) => [...JSON.parse(key).flat(2), names.join(' ')].join('\t') + '\n');
writeFileSync(new URL('../zones.txt', import.meta.url), rows.join(''));
