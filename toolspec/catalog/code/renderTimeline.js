// Lays events out in the order of their dates.

// include shared/card.js

// include shared/show.js

// include shared/pick.js

// include shared/row.js

// include shared/named.js

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

// moment reads a year, a month, a day or a time. It keeps how exact the text is
// and adds where it lies, to sort by.
function moment(value, where) {
  const wrong = (more) => new Error(where + ' is ' + show(value) + ', ' + (more || 'not a date; pass 2026-11-20, 2026-11, 2026, "20 Nov 2026" or 2026-11-20T09:00'));
  const text = clean(value, 60).replace(/,/g, ' ').replace(/\b(\d{1,2})(st|nd|rd|th)\b/gi, '$1').replace(/\s+/g, ' ');
  let m = /^(-?\d{1,4})(?: (BCE?|CE|AD))?$/i.exec(text);
  if (m) {
    const before = m[2] !== undefined && /^b/i.test(m[2]);
    const year = before ? -Math.abs(Number(m[1])) : Number(m[1]);
    if (year === 0) throw wrong('and there was no year 0');
    // The year before 1 is -1 for people and 0 for the clock.
    return { text: year < 0 ? -year + ' BC' : String(year), at: stamp(year < 0 ? year + 1 : year, 1, 1) };
  }
  let year;
  let month;
  let day;
  if ((m = /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?$/.exec(text))) [, year, month, day] = m.map(Number);
  else if ((m = /^(?:(\d{1,2})\.? )?([a-z]{3,9})\.? (\d{4})$/i.exec(text))) [year, month, day] = [Number(m[3]), monthOf(m[2]), m[1] === undefined ? NaN : Number(m[1])];
  else if ((m = /^([a-z]{3,9})\.? (\d{1,2}) (\d{4})$/i.exec(text))) [year, month, day] = [Number(m[3]), monthOf(m[1]), Number(m[2])];
  if (m) {
    const exact = !Number.isNaN(day);
    const at = stamp(year, month, exact ? day : 1);
    if (month < 1 || month > 12 || new Date(at).getUTCMonth() !== month - 1 || (exact && day < 1)) throw wrong('which no calendar has');
    return { text: String(year).padStart(4, '0') + '-' + String(month).padStart(2, '0') + (exact ? '-' + String(day).padStart(2, '0') : ''), at };
  }
  m = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i.exec(text);
  if (!m) throw wrong();
  const at = Date.parse(m[1] + 'T' + m[2] + (m[3] || ':00') + (m[4] || 'Z').toUpperCase());
  const midnight = Date.parse(m[1] + 'T00:00:00Z');
  if (Number.isNaN(at) || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== m[1]) throw wrong('which no calendar has');
  return { text: m[1] + 'T' + m[2] + (m[3] === undefined || m[3] === ':00' ? '' : m[3].slice(0, 3)) + (m[4] || '').toUpperCase(), at };
}
function monthOf(name) {
  return 1 + MONTHS.findIndex((n) => n === name.toLowerCase() || n.slice(0, 3) === name.toLowerCase() || (n === 'september' && name.toLowerCase() === 'sept'));
}
function stamp(year, month, day) { // years before 100 too, which Date.UTC moves
  const d = new Date(0);
  d.setUTCFullYear(year, month - 1, day);
  return d.getTime();
}

if (events.length === 0) throw new Error('events is empty; pass at least one, such as {"date": "2026-11-20", "title": "Release"}');
if (events.length > 500) throw new Error('there are ' + events.length + ' events, at most 500 fit; leave the small ones out');
const read = events.map((value, i) => {
  const where = 'events[' + i + ']';
  const e = Array.isArray(value) ? { date: value[0], title: value[1], description: value[2] } : row(value, where);
  const from = moment(pick(e, ['date', 'start', 'time', 'year', 'when', 'from']), where + '.date');
  const what = clean(pick(e, ['title', 'name', 'event', 'label', 'text']), 160);
  if (what === '') throw new Error(where + ' has no title');
  const one = { date: from.text };
  const until = pick(e, ['end', 'to', 'until']);
  if (until !== undefined) {
    const end = moment(until, where + '.end');
    if (end.at < from.at) throw new Error(where + ' ends (' + end.text + ') before it begins (' + from.text + ')');
    if (end.text !== from.text) one.end = end.text;
  }
  one.title = what;
  const note = clean(pick(e, ['description', 'note', 'details']), 500);
  if (note !== '') one.description = note;
  const group = clean(pick(e, ['group', 'category', 'lane']), 60);
  if (group !== '') one.group = group;
  return { at: from.at, one };
});
read.sort((a, b) => a.at - b.at);

const payload = { type: 'timeline' };
if (heading !== '') payload.title = heading;
payload.events = read.map((r) => r.one);
const first = payload.events[0];
const last = payload.events[read.length - 1];
const span = read.length === 1 ? ': ' + first.date + ' ' + first.title : ': ' + read.length + ' events, from ' + first.date + ' (' + first.title + ') to ' + last.date + ' (' + last.title + ')';
return card(named('Timeline') + span + '.', payload);
