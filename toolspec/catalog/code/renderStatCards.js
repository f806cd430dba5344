// Shows a few key figures large, with how they changed.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/named.js

if (stats.length === 0) throw new Error('stats is empty; pass at least one, such as {"label": "Users", "value": 5400}');
if (stats.length > 24) throw new Error('there are ' + stats.length + ' figures, at most 24 can be taken in; use renderTable');
const read = stats.map((value, i) => {
  const where = 'stats[' + i + ']';
  const s = Array.isArray(value) ? { label: value[0], value: value[1], unit: value[2] } : row(value, where);
  const one = { label: clean(pick(s, ['label', 'name', 'title', 'metric']), 80) };
  if (one.label === '') throw new Error(where + ' has no label');
  const figure = pick(s, ['value', 'number', 'count', 'total']);
  if (typeof figure === 'number') one.value = figure === 0 ? 0 : figure;
  else if (typeof figure === 'string' && figure.trim() !== '') one.value = clean(figure, 40);
  else throw new Error(where + '.value is ' + show(figure) + ', not a number or a short text such as "1.2 M"');
  const mark = clean(pick(s, ['unit', 'suffix']), 20);
  if (mark !== '') one.unit = mark;
  const change = pick(s, ['change', 'delta', 'trend']);
  if (change !== undefined && change !== '') {
    // Only the sign tells where an arrow points.
    if (/^(up|down|flat|same|stable)$/i.test(change)) one.direction = { u: 'up', d: 'down' }[String(change)[0].toLowerCase()] || 'flat';
    else {
      one.change = num(change, where + '.change (in percent)');
      one.direction = one.change > 0 ? 'up' : one.change < 0 ? 'down' : 'flat';
    }
  }
  const note = clean(pick(s, ['note', 'description', 'hint']), 160);
  if (note !== '') one.note = note;
  return one;
});

const payload = { type: 'stats' };
if (heading !== '') payload.title = heading;
payload.stats = read;
const said = read.slice(0, 6).map((s) => s.label + ' ' + s.value + (s.unit === undefined ? '' : ' ' + s.unit) + (s.change === undefined ? '' : ' (' + (s.change > 0 ? '+' : '') + s.change + ' %)'));
return card(named('Key figures') + ': ' + said.join(', ') + (read.length > 6 ? ' and ' + (read.length - 6) + ' more' : '') + '.', payload);
