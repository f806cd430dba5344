// Drafts a calendar event. Nothing is saved: the person adds it from the card.

// include shared/card.js

// include shared/show.js

const zone = timeZone === undefined ? '' : timeZone.trim();
if (zone !== '') {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
  } catch (e) {
    throw new Error('timeZone is ' + show(timeZone) + ', not a time zone; pass a name such as Asia/Seoul or Europe/Berlin');
  }
}

// moment reads a day, or a time on a day with or without an offset from UTC.
function moment(text, what) {
  const m = /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim());
  if (m === null) throw new Error(what + ' is ' + show(text) + '; pass a time such as 2026-12-04T14:00, or a day such as 2026-12-04 for a whole day');
  const day = Date.parse(m[1] + 'T00:00:00Z');
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== m[1]) throw new Error(what + ' is ' + show(text) + ', a day that no calendar has');
  if (m[2] === undefined) return { allDay: true, at: day, offset: '' };
  if (Number(m[2]) > 23 || Number(m[3]) > 59 || Number(m[4] || 0) > 59) throw new Error(what + ' is ' + show(text) + ', a time that no clock shows');
  const at = day + ((Number(m[2]) * 60 + Number(m[3])) * 60 + Number(m[4] || 0)) * 1000;
  return { allDay: false, at, offset: m[5] === undefined ? '' : m[5].toUpperCase() };
}
// instant takes the offset away, so that times with different ones compare.
function instant(m) {
  if (m.offset === '' || m.offset === 'Z') return m.at;
  const minutes = Number(m.offset.slice(1, 3)) * 60 + Number(m.offset.slice(-2));
  return m.at - (m.offset[0] === '-' ? -1 : 1) * minutes * 60000;
}

const from = moment(start, 'start');
let until = null;
if (end !== undefined) {
  // A bare time is on the day of the start.
  const text = /^\d{1,2}:\d\d$/.test(end.trim()) ? start.trim().slice(0, 10) + 'T' + end.trim() : end;
  until = moment(text, 'end');
  if (until.allDay !== from.allDay) throw new Error('start is ' + show(start) + ' and end ' + show(end) + '; pass times for both or days for both');
  if (until.offset === '') until.offset = from.offset;
  else if (from.offset === '') throw new Error('end has an offset from UTC and start has none; write both the same way');
} else if (from.allDay) {
  const days = durationMinutes === undefined ? 1 : Math.max(1, Math.ceil(durationMinutes / 1440));
  until = { allDay: true, at: from.at + (days - 1) * 86400000, offset: '' };
} else {
  const minutes = durationMinutes === undefined ? 60 : durationMinutes;
  if (!(minutes > 0 && minutes <= 527040)) throw new Error('durationMinutes must be more than 0 and at most 527040 (a year), is ' + minutes);
  until = { allDay: false, at: from.at + minutes * 60000, offset: from.offset };
}
if (instant(until) < instant(from) || (!from.allDay && instant(until) === instant(from))) throw new Error('the event ends (' + show(end) + ') before or when it begins (' + show(start) + ')');

// Days stay days (the last one counts), times with an offset become UTC, and
// others keep the clock of timeZone, or of the person.
function written(m) {
  const iso = new Date(instant(m)).toISOString();
  return m.allDay ? iso.slice(0, 10) : iso.slice(0, 19) + (m.offset === '' ? '' : 'Z');
}
const payload = { type: 'calendar', title: clean(title, 200), start: written(from), end: written(until), allDay: from.allDay };
if (payload.title === '') throw new Error('title is blank; pass what the event is called');
if (zone !== '') payload.timeZone = zone;
const place = clean(location, 300);
if (place !== '') payload.location = place;
const notes = description === undefined ? '' : description.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim();
if (notes.length > 5000) throw new Error('description has ' + notes.length + ' characters, at most 5000 fit');
if (notes !== '') payload.description = notes;

const spoken = (text) => text.slice(0, 16).replace('T', ' ');
const sameDay = payload.start.slice(0, 10) === payload.end.slice(0, 10);
let when = spoken(payload.start);
if (from.allDay) when += sameDay ? ', all day' : ' to ' + payload.end + ', all day';
else when += ' to ' + (sameDay ? payload.end.slice(11, 16) : spoken(payload.end)) + (from.offset !== '' ? ' UTC' : zone === '' ? '' : ' ' + zone);
return card('Calendar event "' + payload.title + '", ' + when + (place === '' ? '' : ', ' + place) + '. It is not saved: the person adds it from the card.', payload);
