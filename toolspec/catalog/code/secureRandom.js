// Draws from the platform's cryptographic random numbers, without bias: a draw
// that would favour some results is thrown away and repeated.
const KINDS = { integer: 1, decimal: 1, bytes: 16, choice: 1, shuffle: 1 }; // how many by default
const ALIASES = { integers: 'integer', int: 'integer', number: 'integer', numbers: 'integer', float: 'decimal', byte: 'bytes', hex: 'bytes', pick: 'choice', sample: 'choice' };
let what = kind === undefined ? (items === undefined ? 'integer' : 'choice') : kind.trim().toLowerCase();
if (Object.hasOwn(ALIASES, what)) what = ALIASES[what];
if (!Object.hasOwn(KINDS, what)) throw new Error('kind must be integer, decimal, bytes, choice or shuffle, is "' + kind + '"');
const many = count === undefined ? KINDS[what] : count;
if (many < 1 || many > 1000) throw new Error('count must be between 1 and 1000, is ' + many);

const pool = new Uint32Array(512);
let used = pool.length;
function word() { // 32 random bits
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  return pool[used++];
}
const SPAN = 2 ** 53;
const bits53 = () => (word() % 2 ** 21) * 2 ** 32 + word();
function below(n) { // 0 to n - 1, each equally likely
  const fair = SPAN - (SPAN % n);
  let x = bits53();
  while (x >= fair) x = bits53();
  return x % n;
}

// draw takes some out of a list, by exchanging with the front (Fisher-Yates).
function draw(list, n) {
  const left = list.slice();
  for (let i = 0; i < n; i++) {
    const j = i + below(left.length - i);
    [left[i], left[j]] = [left[j], left[i]];
  }
  return left.slice(0, n);
}

if (what === 'bytes') {
  const bytes = crypto.getRandomValues(new Uint8Array(many));
  return { kind: what, count: many, hex: Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(''), base64: btoa(String.fromCharCode(...bytes)) };
}

let values;
if (what === 'choice' || what === 'shuffle') {
  if (items === undefined || items.length === 0) throw new Error('items is empty; pass what to ' + (what === 'choice' ? 'choose from' : 'shuffle') + ', such as ["red", "green", "blue"]');
  if (items.length > 10000) throw new Error('items holds more than 10000 entries; pass fewer');
  if (what === 'shuffle') values = draw(items, items.length);
  else if (unique === true && many > items.length) throw new Error('count is ' + many + ', but items holds only ' + items.length + '; ask for fewer, or leave unique out');
  else values = unique === true ? draw(items, many) : Array.from({ length: many }, () => items[below(items.length)]);
} else {
  const low = min === undefined ? (what === 'integer' ? 1 : 0) : min;
  const high = max === undefined ? (what === 'integer' ? 100 : 1) : max;
  if (low > high) throw new Error('min ' + low + ' is above max ' + high);
  if (what === 'decimal') {
    if (unique === true) throw new Error('unique is for integer and choice');
    values = Array.from({ length: many }, () => low + (bits53() / SPAN) * (high - low));
  } else {
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) throw new Error('min and max must be whole numbers for kind integer; use kind decimal for others');
    const range = high - low + 1;
    if (range > SPAN) throw new Error('max is more than 2^53 above min');
    if (unique === true && many > range) throw new Error('count is ' + many + ', but there are only ' + range + ' numbers from ' + low + ' to ' + high);
    if (unique === true && range <= 10000) {
      values = draw(Array.from({ length: range }, (_, i) => low + i), many);
    } else {
      const seen = new Set();
      values = [];
      while (values.length < many) {
        const n = low + below(range);
        if (unique === true && seen.has(n)) continue;
        seen.add(n);
        values.push(n);
      }
    }
  }
}
if (sorted === true && what !== 'shuffle') values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
return { kind: what, count: values.length, values };
