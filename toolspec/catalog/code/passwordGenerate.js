// Makes passwords from the platform's cryptographic random numbers. Every
// password that fits the rules is equally likely: one that lacks a class is
// thrown away as a whole, and so is a draw that would favour some characters.
const size = length === undefined ? 20 : length;
const many = count === undefined ? 1 : count;
if (size < 4 || size > 128) throw new Error('length must be between 4 and 128, is ' + size);
if (many < 1 || many > 50) throw new Error('count must be between 1 and 50, is ' + many);

const AMBIGUOUS = 'Il1|O0o`\'"';
const classes = [
  [lowercase !== false, 'abcdefghijklmnopqrstuvwxyz'],
  [uppercase !== false, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [digits !== false, '0123456789'],
  [symbols !== false, '!#$%&()*+,-./:;<=>?@[]^_{}~'],
].filter(([wanted]) => wanted).map(([, set]) => (excludeAmbiguous === true ? [...set].filter((c) => !AMBIGUOUS.includes(c)).join('') : set));
if (classes.length === 0) throw new Error('nothing is left to choose from; leave at least one of lowercase, uppercase, digits and symbols on');
const alphabet = classes.join('');

const pool = new Uint8Array(4096);
let used = pool.length;
function below(n) { // 0 to n - 1, each equally likely; n is at most 256
  const fair = 256 - (256 % n);
  for (;;) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const x = pool[used++];
    if (x < fair) return x % n;
  }
}

function password() {
  for (;;) {
    let text = '';
    for (let i = 0; i < size; i++) text += alphabet[below(alphabet.length)];
    if (classes.every((set) => [...set].some((c) => text.includes(c)))) return text;
  }
}

// How many passwords have a character of every class: all, less those that lack
// one, plus those that lack two and were taken off twice, and so on.
let possible = 0n;
for (let left = 0; left < 2 ** classes.length; left++) {
  let rest = alphabet.length;
  let sign = 1n;
  classes.forEach((set, i) => {
    if (Math.floor(left / 2 ** i) % 2 === 1) {
      rest -= set.length;
      sign = -sign;
    }
  });
  possible += sign * BigInt(rest) ** BigInt(size);
}
const written = possible.toString();
const bits = Math.log2(Number('0.' + written.slice(0, 15))) + written.length * Math.log2(10);

const result = { passwords: Array.from({ length: many }, password), length: size, alphabet: alphabet.length, entropyBits: Math.floor(bits * 10 + 1e-9) / 10 };
result.strength = bits < 40 ? 'weak: only where attempts are counted, such as a PIN' : bits < 64 ? 'fair' : bits < 90 ? 'strong' : 'very strong';
return result;
