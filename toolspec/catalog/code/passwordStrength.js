// Estimates how many guesses a password takes: the cheapest way to build it out
// of words, sequences, repeats, dates and single characters. The password itself
// is never part of the result.
const WORDS = ('password 123456 qwerty admin welcome login letmein monkey dragon master hello freedom whatever sunshine princess '
  + 'football baseball basketball soccer hockey superman batman trustno shadow michael jennifer jordan hunter ranger buster '
  + 'thomas robert daniel andrew joshua matthew charlie george harley summer winter spring autumn flower secret killer '
  + 'pepper ginger cookie banana orange cheese chocolate coffee computer internet google facebook apple samsung nintendo '
  + 'pokemon starwars matrix access system server root user guest test demo default change temp office windows linux '
  + 'monday friday january february march april june july august september october november december love iloveyou angel '
  + 'lovely family mother father sister brother baby happy lucky magic silver golden purple yellow blue green black white '
  + 'diamond crystal phoenix tiger eagle falcon lion wolf bear horse mustang ferrari porsche mercedes yamaha money '
  + 'dollar bitcoin house school student teacher doctor correct battery staple london paris berlin boston dallas texas '
  + 'canada mexico america england germany france italy spain china japan korea india asdf zxcvbn pass passw0rd').split(' ');
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890', 'abcdefghijklmnopqrstuvwxyz', '1qaz2wsx3edc4rfv'];
const LOOKS = { '@': 'a', 4: 'a', 3: 'e', 1: 'i', '!': 'i', 0: 'o', $: 's', 5: 's', 7: 't', '+': 't', 8: 'b', 9: 'g' };

const chars = Array.from(password);
if (chars.length > 500) throw new Error('password is longer than 500 characters; check a shorter one');
const lower = chars.map((c) => c.toLowerCase());
const plain = lower.map((c) => LOOKS[c] || c);
let warnings = new Set();
const suggestions = new Set();

// Alphabet: what an attacker tries for one character.
let alphabet = 0;
const has = (pattern) => chars.some((c) => pattern.test(c));
if (has(/[a-z]/)) alphabet += 26;
if (has(/[A-Z]/)) alphabet += 26;
if (has(/[0-9]/)) alphabet += 10;
if (has(/[ -/:-@[-`{-~]/)) alphabet += 33;
if (chars.some((c) => c.codePointAt(0) > 126)) alphabet += 100;
const perCharacter = Math.log2(Math.max(alphabet, 2));

// Pieces found: { start, end, bits, warning }.
const pieces = [];
function piece(start, end, bits, warning) {
  pieces.push({ start, end, bits, warning });
}

function variants(start, end) { // bits for capitals and look-alikes
  let bits = 0;
  const capitals = chars.slice(start, end).filter((c) => /[A-Z]/.test(c)).length;
  if (capitals > 0) bits += capitals === 1 || capitals === end - start ? 1 : capitals + 1;
  const swapped = lower.slice(start, end).filter((c, i) => c !== plain[start + i]).length;
  return bits + swapped;
}

const context = (Array.isArray(userWords) ? userWords : []).map((w) => String(w).toLowerCase()).filter((w) => Array.from(w).length >= 3);
const byLetter = new Map(); // first letter -> ranks of the words
WORDS.forEach((w, i) => byLetter.set(w[0], [...(byLetter.get(w[0]) || []), i]));
function findWords(text) {
  for (let start = 0; start < text.length; start++) {
    const rest = text.slice(start).join('');
    for (const w of context) {
      if (rest.startsWith(w)) piece(start, start + Array.from(w).length, 2 + variants(start, start + Array.from(w).length), 'it holds a word that is known about the user');
    }
    for (const i of byLetter.get(text[start]) || []) {
      const w = WORDS[i];
      if (w.length >= 4 && rest.startsWith(w)) {
        // Rank in the list, or a word among some 2,000 when it is not at its top.
        const bits = Math.log2(i < 30 ? i + 2 : 2000);
        piece(start, start + w.length, bits + variants(start, start + w.length), 'it holds a common word or password');
      }
    }
  }
}
findWords(lower);
findWords(plain);

for (let start = 0; start < lower.length; start++) {
  // One character again and again.
  let end = start + 1;
  while (end < lower.length && lower[end] === lower[start]) end++;
  if (end - start >= 3) piece(start, end, perCharacter + Math.log2(end - start), 'it repeats a character');
  // A block again and again: abcabc.
  for (let size = 2; start + 2 * size <= lower.length && size <= 16; size++) {
    const block = lower.slice(start, start + size).join('');
    let stop = start + size;
    while (lower.slice(stop, stop + size).join('') === block) stop += size;
    if (stop > start + size) piece(start + size, stop, 1 + Math.log2((stop - start) / size), 'it repeats a block of characters');
  }
  // Neighbours on a keyboard, in the alphabet or among the digits, either way.
  for (const row of ROWS) {
    for (const line of [row, Array.from(row).reverse().join('')]) {
      const from = line.indexOf(lower[start]);
      if (from < 0) continue;
      let n = 1;
      while (start + n < lower.length && from + n < line.length && lower[start + n] === line[from + n]) n++;
      if (n >= (line[from] >= 'a' && row.length > 10 ? 4 : 3)) piece(start, start + n, 5 + Math.log2(n) + variants(start, start + n), 'it holds a sequence such as 123 or qwerty');
    }
  }
  // Years and dates.
  const rest = lower.slice(start).join('');
  const year = /^(19|20)\d\d/.exec(rest);
  if (year) piece(start, start + 4, 7, 'it holds a year');
  const day = /^(0?[1-9]|[12]\d|3[01])([-./]?)(0?[1-9]|1[0-2])\2((19|20)?\d\d)/.exec(rest) || /^((19|20)\d\d)([-./]?)(0?[1-9]|1[0-2])\3(0?[1-9]|[12]\d|3[01])/.exec(rest);
  if (day && day[0].length >= 6) piece(start, start + day[0].length, 15, 'it holds a date');
}

// The cheapest way to reach each place.
const best = [{ bits: 0, from: 0, warning: null }];
for (let i = 1; i <= chars.length; i++) {
  best[i] = { bits: best[i - 1].bits + perCharacter, from: i - 1, warning: null };
  for (const p of pieces) {
    if (p.end === i && best[p.start].bits + p.bits < best[i].bits) best[i] = { bits: best[p.start].bits + p.bits, from: p.start, warning: p.warning };
  }
}
for (let i = chars.length; i > 0; i = best[i].from) if (best[i].warning) warnings.add(best[i].warning);
warnings = new Set([...warnings].reverse()); // as they stand in the password
const bits = best[chars.length].bits;

if (chars.length < 8) warnings.add('it is shorter than 8 characters');
if (chars.length < 14) suggestions.add('make it longer: 14 characters or four unrelated words');
if (warnings.size > 0) suggestions.add('avoid names, dates, common words, sequences and repeats');
if (alphabet < 60 && chars.length < 20) suggestions.add('mix lower and upper case, digits and signs, or use more words');

const score = [28, 40, 55, 75].filter((limit) => bits >= limit).length;
if (score >= 3) suggestions.clear();

function duration(seconds) {
  if (seconds < 1) return 'less than a second';
  const steps = [[60, 'second'], [60, 'minute'], [24, 'hour'], [365.25, 'day'], [100, 'year'], [10, 'century']];
  let n = seconds;
  for (const [size, name] of steps) {
    if (n < size) {
      const whole = Math.floor(n);
      return whole + ' ' + (whole === 1 ? name : name === 'century' ? 'centuries' : name + 's');
    }
    n /= size;
  }
  return 'thousands of years';
}
const guesses = 2 ** Math.min(bits, 1000) / 2; // found halfway on average
return {
  score,
  label: ['very weak', 'weak', 'fair', 'strong', 'very strong'][score],
  entropyBits: Math.round(bits * 10) / 10,
  length: chars.length,
  crackTime: {
    online: duration(guesses / 10), // 10 guesses a second against a service
    offlineSlow: duration(guesses / 1e4), // a slow hash such as bcrypt
    offlineFast: duration(guesses / 1e10), // a fast hash on graphics cards
  },
  warnings: [...warnings],
  suggestions: [...suggestions],
};
