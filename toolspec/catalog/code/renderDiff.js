// Shows what changed between two texts, line by line (Myers' algorithm).

// include shared/card.js

// include shared/named.js

const AROUND = 3; // unchanged lines shown next to a change
const MOST = 400; // past this many edits the changed middle is shown as replaced

// An empty text has no line; a line feed at the end begins none.
function lines(text) {
  if (text === undefined || text === '') return [];
  const all = text.split(/\r\n|\n|\r/);
  if (all[all.length - 1] === '') all.pop();
  return all;
}
const a = lines(before);
const b = lines(after);
if (a.length > 5000 || b.length > 5000) throw new Error('the texts have ' + a.length + ' and ' + b.length + ' lines, at most 5000 each can be compared; pass the part that changed');

let head = 0;
while (head < a.length && head < b.length && a[head] === b[head]) head++;
let tail = 0;
while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;

// edits gives the shortest way from a to b between head and tail, as a text of
// one sign for each line: blank keeps, - cuts, + adds.
function edits() {
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  const all = '-'.repeat(n) + '+'.repeat(m);
  if (n === 0 || m === 0) return all;
  const steps = []; // furthest reach on each diagonal, after each number of edits
  let reach = { 1: 0 };
  for (let d = 0; d <= Math.min(n + m, MOST); d++) {
    const next = {};
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[k - 1] < reach[k + 1]);
      let x = down ? reach[k + 1] : reach[k - 1] + 1;
      while (x < n && x - k < m && a[head + x] === b[head + x - k]) x++;
      next[k] = x;
      if (x >= n && x - k >= m) return back(steps, n, m);
    }
    steps.push(next);
    reach = next;
  }
  return all;
}
function back(steps, n, m) {
  const signs = [];
  let x = n;
  let y = m;
  for (let d = steps.length; d > 0; d--) {
    const reach = steps[d - 1];
    const k = x - y;
    const down = k === -d || (k !== d && reach[k - 1] < reach[k + 1]);
    const fromX = reach[down ? k + 1 : k - 1];
    const fromY = fromX - (down ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; x--, y--) signs.push(' ');
    signs.push(down ? '+' : '-');
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x--) signs.push(' ');
  return signs.reverse().join('');
}

const script = ' '.repeat(head) + edits() + ' '.repeat(tail);
const hunks = [];
let last = -1; // where the last shown line stands
let x = 0;
let y = 0;
let added = 0;
let removed = 0;
const at = []; // line numbers before each step
for (const sign of script) {
  at.push([x, y]);
  if (sign !== '+') x++;
  if (sign !== '-') y++;
  if (sign === '+') added++;
  if (sign === '-') removed++;
}
for (let i = 0; i < script.length; i++) {
  if (script[i] === ' ') continue;
  const from = Math.max(i - AROUND, last + 1);
  const to = Math.min(i + AROUND, script.length - 1);
  // A change close to the one before goes on in the same hunk.
  if (hunks.length === 0 || from > last + 1) hunks.push({ beforeLine: at[from][0] + 1, afterLine: at[from][1] + 1, lines: [] });
  const shown = hunks[hunks.length - 1].lines;
  for (let k = from; k <= to; k++) shown.push(script[k] + (script[k] === '+' ? b[at[k][1]] : a[at[k][0]]));
  last = Math.max(last, to);
}

const payload = { type: 'diff' };
if (heading !== '') payload.title = heading;
const syntax = clean(language, 30).toLowerCase();
if (syntax !== '') payload.language = syntax;
payload.added = added;
payload.removed = removed;
payload.hunks = hunks;
const count = (n, what) => n + ' line' + (n === 1 ? ' ' : 's ') + what;
const same = (before || '') === (after || '') ? 'the texts are identical' : 'no line differs, only line ends do';
return card(named('Diff') + ': ' + (hunks.length === 0 ? same : count(added, 'added') + ', ' + count(removed, 'removed') + (hunks.length === 1 ? '' : ' in ' + hunks.length + ' places')) + '.', payload);
