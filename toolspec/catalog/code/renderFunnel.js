// Draws how many are left after each stage, and how much of the first and of the
// previous stage that is.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/say.js

// include shared/named.js

if (stages.length < 2) throw new Error('stages has ' + stages.length + ' entries; a funnel needs at least 2, such as {"name": "Visits", "value": 5000}');
if (stages.length > 20) throw new Error('there are ' + stages.length + ' stages, at most 20 fit; join some');
const read = stages.map((value, i) => {
  const where = 'stages[' + i + ']';
  const s = Array.isArray(value) ? { name: value[0], value: value[1] } : row(value, where);
  const name = clean(pick(s, ['name', 'stage', 'label', 'step']), 120);
  if (name === '') throw new Error(where + ' has no name');
  const n = num(pick(s, ['value', 'count', 'amount', 'total']), where + '.value');
  if (n < 0) throw new Error(where + '.value is ' + n + ', must not be negative');
  return { name, value: n };
});
if (read[0].value === 0) throw new Error('the first stage has the value 0; start with the stage that has the most');

const share = (part, whole) => (whole === 0 ? null : Math.round(part / whole * 1000) / 10);
const payload = { type: 'funnel' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.stages = read.map((s, i) => ({ ...s, ofFirst: share(s.value, read[0].value), ofPrevious: i === 0 ? 100 : share(s.value, read[i - 1].value) }));

const last = payload.stages[read.length - 1];
const worst = payload.stages.slice(1).reduce((a, b) => (b.ofPrevious !== null && (a === null || b.ofPrevious < a.ofPrevious) ? b : a), null);
return card(named('Funnel') + ': ' + read.length + ' stages, from ' + say(read[0].value) + ' (' + read[0].name + ') to ' + say(last.value) + (mark === '' ? '' : ' ' + mark) + ' (' + last.name + '), ' + last.ofFirst + ' % in all; fewest go on to '
  + worst.name + ' (' + worst.ofPrevious + ' % of the stage before).', payload);
