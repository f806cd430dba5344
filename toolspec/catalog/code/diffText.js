// Compares two texts line by line (Myers' algorithm) and writes the difference
// as a unified diff that patch and git apply take.
const around = context === undefined ? 3 : context;
if (around < 0 || around > 1000) throw new Error('context must be between 0 and 1000 lines, is ' + around);

// Lines keep their line feed, so that a last line without one differs.
function lines(text) {
  return text === undefined || text === '' ? [] : text.match(/[^\n]*\n|[^\n]+$/g);
}

const a = lines(before);
const b = lines(after);
let head = 0;
while (head < a.length && head < b.length && a[head] === b[head]) head++;
let tail = 0;
while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;

// Past this many edits the search for the shortest script costs too much; the
// changed middle is then shown as replaced.
const MOST = 1000;

// script gives the edits between a and b from head to tail: 'keep', 'cut', 'add'.
function script() {
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  const zero = MOST + 1; // where diagonal 0 stands
  const reach = new Int32Array(2 * MOST + 3); // furthest x of each diagonal
  const trace = [];
  for (let d = 0; d <= Math.min(n + m, MOST); d++) {
    const row = new Int32Array(2 * d + 1);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[zero + k - 1] < reach[zero + k + 1]);
      let x = down ? reach[zero + k + 1] : reach[zero + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[head + x] === b[head + y]) {
        x++;
        y++;
      }
      reach[zero + k] = x;
      row[k + d] = x;
      if (x >= n && y >= m) {
        trace.push(row);
        return walkBack(trace, n, m);
      }
    }
    trace.push(row);
  }
  return [...Array(n).fill('cut'), ...Array(m).fill('add')];
}

function walkBack(trace, n, m) {
  const edits = [];
  let x = n;
  let y = m;
  for (let d = trace.length - 1; d > 0; d--) {
    const last = trace[d - 1];
    const k = x - y;
    const down = k === -d || (k !== d && last[k - 1 + d - 1] < last[k + 1 + d - 1]);
    const fromX = last[(down ? k + 1 : k - 1) + d - 1];
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      edits.push('keep');
      x--;
      y--;
    }
    edits.push(down ? 'add' : 'cut');
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x--) edits.push('keep');
  return edits.reverse();
}

const edits = [...Array(head).fill('keep'), ...script(), ...Array(tail).fill('keep')];
const changed = [];
edits.forEach((e, i) => {
  if (e !== 'keep') changed.push(i);
});
const removed = edits.filter((e) => e === 'cut').length;
const added = edits.filter((e) => e === 'add').length;
if (changed.length === 0) return { identical: true, added: 0, removed: 0, hunks: 0, diff: '' };

// Edits closer than twice the context share a hunk.
const hunks = [];
for (const i of changed) {
  const last = hunks[hunks.length - 1];
  if (last && i - last.end <= 2 * around + 1) last.end = i;
  else hunks.push({ start: i, end: i });
}

function range(start, count) {
  if (count === 1) return String(start + 1);
  return (count === 0 ? start : start + 1) + ',' + count;
}

let out = '--- ' + (beforeName === undefined ? 'before' : beforeName) + '\n+++ ' + (afterName === undefined ? 'after' : afterName) + '\n';
let x = 0;
let y = 0;
let next = 0;
for (const hunk of hunks) {
  const start = Math.max(0, hunk.start - around);
  const end = Math.min(edits.length, hunk.end + around + 1);
  for (; next < start; next++) { // only kept lines lie between hunks
    x++;
    y++;
  }
  const fromX = x;
  const fromY = y;
  let body = '';
  for (; next < end; next++) {
    const e = edits[next];
    const line = e === 'add' ? b[y] : a[x];
    body += { keep: ' ', cut: '-', add: '+' }[e] + line;
    if (!line.endsWith('\n')) body += '\n\\ No newline at end of file\n';
    if (e !== 'add') x++;
    if (e !== 'cut') y++;
  }
  out += '@@ -' + range(fromX, x - fromX) + ' +' + range(fromY, y - fromY) + ' @@\n' + body;
}
return { identical: false, added, removed, hunks: hunks.length, diff: out };
