// Draws parts of a whole as rectangles, in groups within groups.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/list.js

// include shared/say.js

// include shared/named.js

const MOST = 1000;
const DEEP = 6;
let count = 0;

// node reads an item with all below it. Where there are children, the value is
// their sum, so that the areas fit.
function node(value, where, depth) {
  count++;
  if (count > MOST) throw new Error('there are more than ' + MOST + ' items; group small ones');
  if (depth > DEEP) throw new Error(where + ' is deeper than ' + DEEP + ' levels; leave the lowest out');
  const o = Array.isArray(value) ? { name: value[0], value: value[1] } : row(value, where);
  const name = clean(pick(o, ['name', 'label', 'id']), 120);
  if (name === '') throw new Error(where + ' has no name');
  const below = pick(o, ['children', 'items']);
  const kids = below === undefined ? [] : list(below, where + '.children');
  const group = clean(pick(o, ['parent', 'group']), 120);
  if (kids.length > 0) {
    const children = kids.map((k, i) => node(k, where + '.children[' + i + ']', depth + 1));
    return { name, group, value: sum(children), children };
  }
  const size = pick(o, ['value', 'size', 'count', 'amount']);
  if (size === undefined && below === undefined) return { name, group, value: null };
  const n = num(size, where + '.value');
  if (n < 0) throw new Error(where + '.value is ' + n + ', must not be negative');
  return { name, group, value: n };
}
function sum(list) {
  return Number(list.reduce((a, b) => a + (b.value || 0), 0).toPrecision(15));
}

if (items.length === 0) throw new Error('items is empty; pass at least one, such as {"name": "Rent", "value": 900}');
const read = items.map((v, i) => node(v, 'items[' + i + ']', 1));

// Items that name a parent go below it. A parent that is no item is a group.
let top = read;
if (read.some((n) => n.group !== '')) {
  const byName = new Map();
  for (const n of read) if (!byName.has(n.name)) byName.set(n.name, n);
  top = [];
  for (const n of read) {
    if (n.group === '') {
      top.push(n);
      continue;
    }
    let above = byName.get(n.group);
    if (above === undefined || above === n) {
      if (above === n) throw new Error('the item ' + show(n.name) + ' is its own parent');
      above = { name: n.group, group: '', value: null };
      count++;
      byName.set(n.group, above);
      top.push(above);
    }
    if (above.children === undefined) above.children = [];
    above.children.push(n);
  }
}
// tidy leaves what the card shows, and adds the groups up.
let placed = 0;
function tidy(n, depth) {
  placed++;
  if (depth > DEEP) throw new Error('the item ' + show(n.name) + ' is deeper than ' + DEEP + ' levels; leave the lowest out');
  if (n.children === undefined) {
    if (n.value === null) throw new Error('the item ' + show(n.name) + ' has neither a value nor children');
    return { name: n.name, value: n.value };
  }
  const children = n.children.map((c) => tidy(c, depth + 1));
  return { name: n.name, value: sum(children), children };
}
const shown = top.map((n) => tidy(n, 1));
if (placed < count) throw new Error('some items name each other as parent in a circle; give one of them no parent');
const total = sum(shown);
if (total <= 0) throw new Error('all values are 0; at least one must be more');

const payload = { type: 'treemap' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.items = shown;
payload.total = total;
const largest = shown.reduce((a, b) => (b.value > a.value ? b : a));
const what = shown.some((n) => n.children !== undefined) ? ' groups' : ' parts';
return card(named('Treemap') + ': ' + shown.length + (shown.length === 1 ? what.slice(0, -1) : what) + ', ' + say(total) + (mark === '' ? '' : ' ' + mark) + ' in all, largest ' + largest.name + ' (' + Math.round(largest.value / total * 1000) / 10 + ' %).', payload);
