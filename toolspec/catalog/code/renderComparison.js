// Sets options side by side: a column for each, a row for each criterion.

// include shared/card.js

// include shared/show.js

// include shared/pick.js

// include shared/row.js

// include shared/named.js

if (items.length < 2) throw new Error('items has ' + items.length + ' entries; a comparison needs at least 2, such as [{"name": "Basic", "price": 9}, {"name": "Pro", "price": 19}]');
if (items.length > 8) throw new Error('there are ' + items.length + ' items, at most 8 stand side by side; use renderTable');

// Lists are for pros and cons; objects within an item are taken apart.
function fact(value, where) {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    if (value.length > 12) throw new Error(where + ' has ' + value.length + ' entries, at most 12 fit');
    return value.map((v) => clean(v, 200)).filter((v) => v !== '');
  }
  return clean(value, 300);
}
const NAMES = ['name', 'title', 'item', 'option'];
const read = items.map((value, i) => {
  const where = 'items[' + i + ']';
  const o = row(value, where);
  const label = NAMES.find((n) => pick(o, [n]) !== undefined);
  const name = clean(label === undefined ? '' : o[label], 80);
  if (name === '') throw new Error(where + ' has no name');
  const facts = new Map();
  for (const key of Object.keys(o)) {
    if (key === label) continue;
    const inner = o[key];
    if (inner !== null && typeof inner === 'object' && !Array.isArray(inner)) {
      for (const sub of Object.keys(inner)) facts.set(clean(sub, 80), fact(inner[sub], where + '.' + key + '.' + sub));
    } else facts.set(clean(key, 80), fact(inner, where + '.' + key));
  }
  return { name, facts };
});
const names = read.map((r) => r.name);
const twice = names.find((n, i) => names.indexOf(n) !== i);
if (twice !== undefined) throw new Error('two items have the name ' + show(twice));

const found = [...new Set(read.flatMap((r) => [...r.facts.keys()]))];
const asked = criteria === undefined || criteria.length === 0 ? found : criteria.map((c) => clean(c, 80));
const nowhere = asked.find((c) => !found.includes(c));
if (nowhere !== undefined) throw new Error('no item has ' + show(nowhere) + ', which criteria names; they have ' + found.slice(0, 20).join(', '));
if (asked.length === 0) throw new Error('the items have only names; give each what to compare, such as "price": 9');
if (asked.length > 40) throw new Error('there are ' + asked.length + ' criteria, at most 40 fit; name the important ones in criteria');

const payload = { type: 'comparison' };
if (heading !== '') payload.title = heading;
payload.items = names;
payload.criteria = asked.map((name) => ({ name, values: read.map((r) => (r.facts.has(name) ? r.facts.get(name) : null)) }));
let advice = '';
const best = clean(recommended, 80);
if (best !== '') {
  const at = names.findIndex((n) => n.toLowerCase() === best.toLowerCase());
  if (at < 0) throw new Error('recommended is ' + show(best) + ', which is none of the items: ' + names.join(', '));
  payload.recommended = names[at];
  advice = '; recommended: ' + names[at];
}
return card(named('Comparison') + ' of ' + names.slice(0, -1).join(', ') + ' and ' + names[names.length - 1] + ' by ' + asked.slice(0, 8).join(', ') + (asked.length > 8 ? ', …' : '') + advice + '.', payload);
