// Works out an arithmetic expression with a tokenizer and a parser of its own.
// A value is an exact fraction {n, d} of BigInts as long as that stays small,
// else a floating point number {f}: 0.1 + 0.2 is 0.3, and 2^100 has all digits.
const MOST_LENGTH = 1000;
const MOST_DEPTH = 100;
const INTEGER_LIMIT = 10n ** 1000n;
const FRACTION_LIMIT = 10n ** 80n;

const fail = (at, why) => { throw new Error('expression, column ' + (at + 1) + ': ' + why); };
// The engine's Number(x) is wrong for BigInts beyond 64 bits.
const near = (x) => Number(x.toString());
const absBig = (x) => (x < 0n ? -x : x);
function gcdBig(a, b) {
  let [x, y] = [absBig(a), absBig(b)];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

// ---- values
function fraction(n, d) {
  if (d === undefined || d === 1n) return absBig(n) < INTEGER_LIMIT ? { n, d: 1n } : { f: near(n) };
  const common = gcdBig(n, d) * (d < 0n ? -1n : 1n);
  const [num, den] = [n / common, d / common];
  if (den === 1n) return fraction(num);
  return absBig(num) < FRACTION_LIMIT && den < FRACTION_LIMIT ? { n: num, d: den } : { f: quotient(num, den) };
}
// quotient divides numbers that may be too long for floating point.
function quotient(n, d) {
  const shift = 20 - absBig(n).toString().length + d.toString().length;
  const q = shift >= 0 ? (n * 10n ** BigInt(shift)) / d : n / (d * 10n ** BigInt(-shift));
  return Number(q + 'e' + -shift);
}
const whole = (x) => fraction(BigInt(x));
const isExact = (v) => v.n !== undefined;
const isWhole = (v) => isExact(v) && v.d === 1n;
const real = (v) => (isExact(v) ? near(v.n) / near(v.d) : v.f);
const isZero = (v) => (isExact(v) ? v.n === 0n : v.f === 0);

function fromText(text) { // digits as they are written: 12, 1.5, 2e-3
  const [mantissa, power] = text.toLowerCase().split('e');
  const [before, after] = mantissa.split('.');
  const exponent = Number(power || 0) - (after || '').length;
  if (Math.abs(exponent) > 400) return { f: Number(text) };
  const digits = BigInt(before + (after || ''));
  return exponent < 0 ? fraction(digits, 10n ** BigInt(-exponent)) : fraction(digits * 10n ** BigInt(exponent));
}

const clean = (f) => Number(f.toPrecision(15)); // without the noise of binary fractions
// exactly turns a floating point number into the fraction that its digits show.
function exactly(v) {
  if (isExact(v) || !Number.isFinite(v.f)) return v;
  const shown = fromText(String(Math.abs(clean(v.f))));
  return v.f < 0 && isExact(shown) ? fraction(-shown.n, shown.d) : isExact(shown) ? shown : v;
}
function integer(v, at, who) {
  const x = exactly(v);
  if (!isWhole(x)) fail(at, who + ' needs whole numbers');
  return x.n;
}

const add = (a, b) => (isExact(a) && isExact(b) ? fraction(a.n * b.d + b.n * a.d, a.d * b.d) : { f: real(a) + real(b) });
const negate = (a) => (isExact(a) ? { n: -a.n, d: a.d } : { f: -a.f });
const times = (a, b) => (isExact(a) && isExact(b) ? fraction(a.n * b.n, a.d * b.d) : { f: real(a) * real(b) });
function divide(a, b, at) {
  if (isZero(b)) fail(at, 'division by zero');
  return isExact(a) && isExact(b) ? fraction(a.n * b.d, a.d * b.n) : { f: real(a) / real(b) };
}
const compare = (a, b) => {
  if (!isExact(a) || !isExact(b)) return real(a) - real(b);
  const [x, y] = [a.n * b.d, b.n * a.d];
  return x < y ? -1 : x > y ? 1 : 0;
};
function floorOf(v) {
  const x = exactly(v);
  if (!isExact(x)) return { f: Math.floor(x.f) };
  const q = x.n / x.d;
  return fraction(x.n < 0n && q * x.d !== x.n ? q - 1n : q);
}
const ceilOf = (v) => negate(floorOf(negate(v)));
function remainder(a, b, at) { // has the sign of a, as in most programming languages
  if (isZero(b)) fail(at, 'division by zero');
  if (!isExact(a) || !isExact(b)) return { f: real(a) % real(b) };
  const q = (a.n * b.d) / (a.d * b.n); // BigInt division cuts towards zero
  return add(a, negate(times(fraction(q), b)));
}
function roundTo(v, places, at) { // halves away from zero
  const digits = places === undefined ? 0n : integer(places, at, 'round');
  if (digits > 30n || digits < -30n) fail(at, 'round takes -30 to 30 places');
  const scale = digits < 0n ? fraction(1n, 10n ** -digits) : fraction(10n ** digits);
  const scaled = times(exactly(v), scale);
  const negative = compare(scaled, whole(0)) < 0;
  const up = floorOf(add(negative ? negate(scaled) : scaled, fraction(1n, 2n)));
  return divide(negative ? negate(up) : up, scale, at);
}
function digitsIn(x) { // the logarithm to 10
  const t = absBig(x).toString();
  return t.length - 1 + Math.log10(Number(t[0] + '.' + t.slice(1, 15)));
}
function power(a, b, at) {
  const exponent = exactly(b);
  if (isZero(a) && compare(exponent, whole(0)) < 0) fail(at, 'division by zero (0 to a negative power)');
  if (isExact(a) && isWhole(exponent)) {
    const length = Math.max(digitsIn(a.n), digitsIn(a.d)) * near(absBig(exponent.n));
    const unit = absBig(a.n) <= 1n && a.d === 1n;
    if (unit) return fraction(exponent.n === 0n || (a.n === -1n && exponent.n % 2n === 0n) ? 1n : a.n);
    if (length <= 1001) {
      const n = a.n ** absBig(exponent.n);
      const d = a.d ** absBig(exponent.n);
      return exponent.n < 0n ? fraction(d, n) : fraction(n, d);
    }
  }
  const base = real(a);
  if (base < 0 && !isWhole(exponent)) fail(at, 'a negative number to a broken power has no real result; use cbrt or root');
  return { f: Math.pow(base, real(b)) };
}
function root(v, degree, at) {
  const n = near(integer(degree, at, 'root'));
  if (n < 1 || n > 1000) fail(at, 'root(x, n) takes n from 1 to 1000');
  const x = real(v);
  if (x < 0 && n % 2 === 0) fail(at, 'an even root of a negative number has no real result');
  const size = n === 2 ? Math.sqrt(x) : n === 3 ? Math.cbrt(x) : Math.sign(x) * Math.pow(Math.abs(x), 1 / n);
  // An exact root stays exact.
  const guess = exactly({ f: size });
  if (isExact(v) && isExact(guess) && compare(power(guess, fraction(BigInt(n)), at), v) === 0) return guess;
  return { f: size };
}

// ---- angles
const inDegrees = degrees === true;
const angle = (v) => { // {degrees} or {radians}
  if (v.degrees !== undefined) return { degrees: real(v.degrees) };
  return inDegrees ? { degrees: real(v) } : { radians: real(v) };
};
function sine(v, shift) {
  const a = angle(v);
  if (a.radians !== undefined) {
    const s = shift ? Math.cos(a.radians) : Math.sin(a.radians);
    // sin(pi) is 0: what is left comes from pi having no last digit.
    return Math.abs(a.radians) > 0.1 && Math.abs(s) < 1e-15 * Math.max(1, Math.abs(a.radians)) ? 0 : s;
  }
  const turned = (((a.degrees % 360) + 360) % 360 + (shift ? 90 : 0)) % 360;
  const known = { 0: 0, 30: 0.5, 90: 1, 150: 0.5, 180: 0, 210: -0.5, 270: -1, 330: -0.5 };
  return Object.hasOwn(known, turned) ? known[turned] : Math.sin((turned * Math.PI) / 180);
}
function tangent(v, at) {
  const c = sine(v, true);
  if (c === 0) fail(at, 'tan has no value at this angle');
  const a = angle(v);
  if (a.degrees !== undefined && a.degrees % 45 === 0 && a.degrees % 90 !== 0) return (((a.degrees % 180) + 180) % 180) === 45 ? 1 : -1;
  return sine(v, false) / c;
}
const arc = (x) => ({ f: inDegrees ? (x * 180) / Math.PI : x });

// ---- functions: [fewest arguments, most, what it does]
const within = (x, low, high, at, who) => (x >= low && x <= high ? x : fail(at, who + ' takes ' + (high === Infinity ? 'numbers from ' + low : low + ' to ' + high) + ', not ' + clean(x)));
const positive = (x, at, who) => (x > 0 ? x : fail(at, who + ' takes numbers above 0, not ' + clean(x)));
const best = (sign) => (list) => list.reduce((a, b) => (compare(a, b) * sign >= 0 ? a : b));
const total = (list) => list.reduce(add);
function product(from, to) {
  let p = 1n;
  for (let i = from; i <= to; i++) p *= i;
  return p;
}
function factorial(v, at) {
  const n = integer(v, at, 'factorial');
  if (n < 0n || n > 450n) fail(at, 'factorial takes 0 to 450');
  return fraction(product(2n, n));
}
function choose(list, at, who, ordered) {
  const [n, k] = list.map((v) => integer(v, at, who));
  if (n < 0n || k < 0n || n > 1000n) fail(at, who + '(n, k) takes n from 0 to 1000 and k from 0');
  if (k > n) return whole(0);
  const p = product(n - k + 1n, n);
  return fraction(ordered ? p : p / product(2n, k));
}
const float = (f) => ([v]) => ({ f: f(real(v)) });
const FUNCTIONS = {
  sqrt: [1, 1, ([v], at) => root(v, whole(2), at)], cbrt: [1, 1, ([v], at) => root(v, whole(3), at)], root: [2, 2, ([v, n], at) => root(v, n, at)],
  abs: [1, 1, ([v]) => (compare(v, whole(0)) < 0 ? negate(v) : v)], sign: [1, 1, ([v]) => whole(Math.sign(compare(v, whole(0))))],
  floor: [1, 1, ([v]) => floorOf(v)], ceil: [1, 1, ([v]) => ceilOf(v)], trunc: [1, 1, ([v]) => (compare(v, whole(0)) < 0 ? ceilOf(v) : floorOf(v))],
  round: [1, 2, ([v, places], at) => roundTo(v, places, at)], exp: [1, 1, float(Math.exp)], pow: [2, 2, ([a, b], at) => power(a, b, at)],
  ln: [1, 1, ([v], at) => ({ f: Math.log(positive(real(v), at, 'ln')) })], log10: [1, 1, ([v], at) => ({ f: Math.log10(positive(real(v), at, 'log10')) })],
  log2: [1, 1, ([v], at) => ({ f: Math.log2(positive(real(v), at, 'log2')) })],
  log: [1, 2, ([v, b], at) => {
    if (b === undefined) fail(at, 'log has different bases in different places; use log10(x), ln(x) or log(x, base)');
    const bottom = Math.log(positive(real(b), at, 'log'));
    return bottom === 0 ? fail(at, 'log has no base 1') : { f: Math.log(positive(real(v), at, 'log')) / bottom };
  }],
  sin: [1, 1, ([v]) => ({ f: sine(v, false) })], cos: [1, 1, ([v]) => ({ f: sine(v, true) })], tan: [1, 1, ([v], at) => ({ f: tangent(v, at) })],
  asin: [1, 1, ([v], at) => arc(Math.asin(within(real(v), -1, 1, at, 'asin')))], acos: [1, 1, ([v], at) => arc(Math.acos(within(real(v), -1, 1, at, 'acos')))],
  atan: [1, 1, ([v]) => arc(Math.atan(real(v)))], atan2: [2, 2, ([y, x]) => arc(Math.atan2(real(y), real(x)))],
  sinh: [1, 1, float(Math.sinh)], cosh: [1, 1, float(Math.cosh)], tanh: [1, 1, float(Math.tanh)], asinh: [1, 1, float(Math.asinh)],
  acosh: [1, 1, ([v], at) => ({ f: Math.acosh(within(real(v), 1, Infinity, at, 'acosh')) })],
  atanh: [1, 1, ([v], at) => (Math.abs(real(v)) < 1 ? { f: Math.atanh(real(v)) } : fail(at, 'atanh takes numbers between -1 and 1'))],
  min: [1, 100, best(-1)], max: [1, 100, best(1)], sum: [1, 100, total], mean: [1, 100, (list, at) => divide(total(list), whole(list.length), at)],
  hypot: [1, 100, (list, at) => root(total(list.map((v) => times(v, v))), whole(2), at)],
  gcd: [2, 100, (list, at) => fraction(list.map((v) => integer(v, at, 'gcd')).reduce(gcdBig, 0n))],
  lcm: [2, 100, (list, at) => fraction(list.map((v) => absBig(integer(v, at, 'lcm'))).reduce((a, b) => (a === 0n || b === 0n ? 0n : (a / gcdBig(a, b)) * b)))],
  factorial: [1, 1, ([v], at) => factorial(v, at)], ncr: [2, 2, (list, at) => choose(list, at, 'ncr', false)], npr: [2, 2, (list, at) => choose(list, at, 'npr', true)],
  mod: [2, 2, ([a, b], at) => (isZero(b) ? fail(at, 'division by zero') : add(a, negate(times(b, floorOf(divide(a, b, at))))))],
};
const ALIASES = { avg: 'mean', average: 'mean', ceiling: 'ceil', fact: 'factorial', comb: 'ncr', choose: 'ncr', perm: 'npr', arcsin: 'asin', arccos: 'acos', arctan: 'atan', sgn: 'sign', lg: 'log10', nthroot: 'root' };
const CONSTANTS = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI, phi: (1 + Math.sqrt(5)) / 2, 'π': Math.PI, 'τ': 2 * Math.PI, 'φ': (1 + Math.sqrt(5)) / 2 };

// ---- tokens: {kind: number | name | sign | end, text, at}
const source = expression.replace(/\s*=?\s*\??\s*$/, '');
if (source.trim() === '') throw new Error('expression is empty; pass something such as (3 + 4) * 2');
if (source.length > MOST_LENGTH) throw new Error('expression is longer than ' + MOST_LENGTH + ' characters; work it out in parts');
const SIGNS = { '×': '*', '·': '*', '⋅': '*', '÷': '/', '−': '-', '–': '-', '**': '^', '[': '(', ']': ')' };
const tokens = [];
const shape = /\s+|(0[xX][\da-fA-F]+|0[bB][01]+)|((?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-zπτφ][A-Za-z0-9_]*)|(\*\*|[-+*/%^(),!°²³×·⋅÷−–[\]])|([^])/g;
for (const m of source.matchAll(shape)) {
  const at = m.index;
  if (m[1]) tokens.push({ kind: 'number', text: m[1], at, value: fraction(BigInt(m[1])) });
  else if (m[2]) tokens.push({ kind: 'number', text: m[2], at, value: fromText(m[2].replace(/_/g, '').replace(/^\./, '0.')) });
  else if (m[3]) tokens.push({ kind: 'name', text: m[3], at });
  else if (m[4]) tokens.push({ kind: 'sign', text: SIGNS[m[4]] || m[4], at });
  else if (m[5]) fail(at, '"' + m[5] + '" has no meaning here; use numbers, + - * / % ^ ( ) and functions such as sqrt(2)');
}
tokens.push({ kind: 'end', text: 'the end', at: source.length });

// ---- parser
let next = 0;
let depth = 0;
const is = (text) => tokens[next].kind === 'sign' && tokens[next].text === text;
const startsValue = (t) => t.kind === 'number' || t.kind === 'name' || (t.kind === 'sign' && t.text === '(');
function deeper(parse) {
  if (++depth > MOST_DEPTH) fail(tokens[next].at, 'nested more than ' + MOST_DEPTH + ' levels deep');
  const value = parse();
  depth--;
  return value;
}

function sum() {
  let left = term();
  while (is('+') || is('-')) {
    const sign = tokens[next++];
    const at = tokens[next].at;
    const right = term();
    // 1 + 8% is 1.08 however one reads it.
    if (right.percent && !left.percent && !(left.n === 1n && left.d === 1n)) fail(at, 'a percentage of what? Write it out: 200 + 10% of 200; or put (10%) in parentheses for 0.1');
    const both = right.percent && left.percent;
    left = add(left, sign.text === '+' ? right : negate(right));
    if (both) left.percent = true;
  }
  return left;
}

function term() {
  let left = signed();
  while (is('*') || is('/') || is('%')) {
    const { text, at } = tokens[next++];
    const right = signed();
    left = text === '*' ? times(left, right) : text === '/' ? divide(left, right, at) : remainder(left, right, at);
  }
  return left;
}

function signed() {
  if (is('+') || is('-')) {
    const minus = tokens[next++].text === '-';
    const value = deeper(signed);
    if (!minus) return value;
    const out = negate(value);
    if (value.percent) out.percent = true;
    return out;
  }
  const base = postfix();
  if (!is('^')) return base;
  const { at } = tokens[next++];
  return power(base, deeper(signed), at); // 2^3^2 is 2^(3^2)
}

function postfix() {
  let value = primary();
  for (;;) {
    const { at, text } = tokens[next];
    const after = tokens[next + 1];
    if (is('!')) value = factorial(value, at);
    else if (is('²') || is('³')) value = power(value, whole(text === '²' ? 2 : 3), at);
    else if (is('°')) value = inDegrees ? value : { f: (real(value) * Math.PI) / 180, degrees: value };
    else if (is('%') && after.kind === 'sign' && /^[-+]$/.test(after.text)) fail(at, '% can be percent or remainder here; write (10%) or mod(a, b)');
    else if (is('%') && (!startsValue(after) || /^of$/i.test(after.text))) value = { ...divide(value, whole(100), at), percent: true };
    else break;
    next++;
  }
  if (tokens[next].kind === 'name' && /^of$/i.test(tokens[next].text)) {
    if (!value.percent) fail(tokens[next].at, '"of" follows a percentage, such as 15% of 80');
    next++;
    return times(value, deeper(signed));
  }
  return value;
}

function args(name, at) {
  const list = [];
  next++; // the parenthesis
  if (is(')')) fail(tokens[next].at, name + '() needs a value');
  for (;;) {
    list.push(deeper(sum));
    if (is(',')) next++;
    else break;
  }
  close(at);
  return list;
}

function close(at) {
  if (tokens[next].kind === 'end') fail(at, 'this parenthesis is never closed');
  if (startsValue(tokens[next])) missingOperator();
  if (is(',')) fail(tokens[next].at, 'a comma divides arguments of functions only; write 1234 and not 1,234');
  next++;
}

function missingOperator() {
  const [a, b] = [tokens[next - 1], tokens[next]];
  if (b.kind === 'name' && /^x$/i.test(b.text)) fail(b.at, 'write * to multiply, not x');
  fail(b.at, 'an operator is missing between "' + a.text + '" and "' + b.text + '"; write * to multiply');
}

function primary() {
  const token = tokens[next];
  if (token.kind === 'number') {
    next++;
    return token.value;
  }
  if (is('(')) {
    next++;
    const { percent, ...value } = deeper(sum);
    if (!is(')')) close(token.at);
    else next++;
    return value;
  }
  if (token.kind === 'name') {
    const lower = token.text.toLowerCase();
    const name = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower;
    next++;
    if (Object.hasOwn(FUNCTIONS, name)) {
      if (!is('(')) fail(token.at, 'write ' + token.text + ' with parentheses, such as ' + token.text + '(2)');
      const list = args(token.text, tokens[next].at);
      const [fewest, most, work] = FUNCTIONS[name];
      if (list.length < fewest || list.length > most) fail(token.at, token.text + ' takes ' + (fewest === most ? fewest : fewest + ' to ' + most) + ' value(s), not ' + list.length);
      const value = work(list, token.at);
      if (!isExact(value) && !Number.isFinite(value.f)) fail(token.at, 'the result of ' + token.text + ' is too large');
      return value;
    }
    if (Object.hasOwn(CONSTANTS, lower)) return { f: CONSTANTS[lower] };
    fail(token.at, '"' + token.text + '" is not known; put in its value. Functions: ' + Object.keys(FUNCTIONS).join(' ') + '; constants: pi e tau phi');
  }
  return fail(token.at, token.kind === 'end' ? 'a value is missing at the end' : 'a value is missing before "' + token.text + '"');
}

const value = sum();
if (tokens[next].kind !== 'end') {
  if (startsValue(tokens[next])) missingOperator();
  if (is(',')) fail(tokens[next].at, 'a comma divides arguments of functions only; write 1234 and not 1,234');
  fail(tokens[next].at, '"' + tokens[next].text + '" does not belong here');
}

// ---- the result
function decimal(v) { // all digits of a fraction, or null when they never end
  let [d, places] = [v.d, 0];
  for (const p of [10n, 5n, 2n]) while (d % p === 0n) { d /= p; places++; }
  if (d !== 1n || places > 40) return null;
  const digits = (absBig(v.n) * 10n ** BigInt(places) / v.d).toString().padStart(places + 1, '0');
  const cut = digits.length - places;
  return (v.n < 0n ? '-' : '') + digits.slice(0, cut) + (places ? '.' + digits.slice(cut).replace(/0+$/, '') : '');
}
const shown = isExact(value) ? decimal(value) : null;
const number = shown === null ? clean(real(value)) + 0 : Number(shown);
if (!Number.isFinite(number) && shown === null) throw new Error('expression: the result is too large');
const out = { result: Number.isFinite(number) ? number : null, text: shown === null ? String(number) : shown, exact: shown !== null };
if (isExact(value) && shown === null) out.fraction = value.n + '/' + value.d;
return out;
