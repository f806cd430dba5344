// Finds personal data by shape and, where there is one, by check digits. The
// expressions only propose; look() below them decides.
const input = text;
if (input.length > 100000) throw new Error('text is longer than 100000 characters; pass it in parts');
const most = limit === undefined ? 100 : limit;
if (most < 1 || most > 1000) throw new Error('limit must be between 1 and 1000, is ' + most);

const digitsOf = (s) => s.replace(/\D/g, '');
function luhn(digits) {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const d = Number(digits[digits.length - 1 - i]) * (i % 2 ? 2 : 1);
    sum += d > 9 ? d - 9 : d;
  }
  return sum % 10 === 0;
}
// How cards begin, and how long they are.
const CARDS = /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/;
// The length of the IBAN of each country.
const IBAN_LENGTHS = 'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20';
const ibanLength = (country) => {
  for (let i = 0; i < IBAN_LENGTHS.length; i += 4) if (IBAN_LENGTHS.startsWith(country, i)) return Number(IBAN_LENGTHS.slice(i + 2, i + 4));
  return 0;
};
function mod97(iban) {
  const moved = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (c) => c.charCodeAt(0) - 55);
  let rest = 0;
  for (let i = 0; i < moved.length; i += 7) rest = Number(String(rest) + moved.slice(i, i + 7)) % 97;
  return rest === 1;
}
// upTo gives the beginning of s that holds so many characters other than blanks
// and dashes, or null.
function upTo(s, count) {
  let seen = 0;
  for (let i = 0; i < s.length; i++) {
    if (s[i] !== ' ' && s[i] !== '-') seen++;
    if (seen === count) return s.slice(0, i + 1);
  }
  return null;
}
function realDay(year, month, day) {
  const d = new Date(Date.UTC(year, month - 1, day));
  return d.getUTCMonth() + 1 === month && d.getUTCDate() === day;
}
function ipv6(s) {
  const halves = s.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((h) => (h === '' ? [] : h.split(':'))).reduce((a, b) => a.concat(b));
  let count = groups.length;
  const tail = groups[count - 1];
  if (tail && tail.includes('.')) {
    if (!ipv4(tail)) return false;
    groups.pop();
    count++;
  }
  if (!groups.every((g) => /^[0-9A-Fa-f]{1,4}$/.test(g))) return false;
  return halves.length === 2 ? count >= 2 && count < 8 : count === 8;
}
const ipv4 = (s) => s.split('.').every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && Number(p) <= 255);
const word = (c) => c !== undefined && /[A-Za-z0-9_]/.test(c);

// all but the last letters and digits become stars
function stars(s, keep) {
  let left = s.replace(/[^A-Za-z0-9]/g, '').length - keep;
  return s.replace(/[A-Za-z0-9]/g, (c) => (left-- > 0 ? '*' : c));
}

// look(match, before, after) gives {value, checked} of what is really found, or
// null. before is the text in front of it, after the character behind it.
const KINDS = {
  email: {
    regex: /[A-Za-z0-9][A-Za-z0-9._%+'-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g,
    look: (m) => (/\.[A-Za-z]{2,}$/.test(m) && m.length < 255 ? { value: m } : null),
    mask: (s) => s[0] + '***' + s.slice(s.indexOf('@')),
  },
  iban: {
    regex: /[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g,
    look: (m, before) => {
      const value = upTo(m, ibanLength(m.slice(0, 2)));
      return value && !word(before.slice(-1)) && !word(m[value.length]) && mod97(value.replace(/ /g, '')) ? { value, checked: true } : null;
    },
    mask: (s) => s.slice(0, 2) + stars(s.slice(2), 2),
  },
  creditCard: {
    regex: /\d(?:[ -]?\d){12,18}/g,
    look: (m, before, after) => {
      if (/[\w.-]$/.test(before)) return null;
      for (let n = digitsOf(m).length; n >= 13; n--) {
        const value = upTo(m, n);
        const behind = value.length < m.length ? m[value.length] : after;
        if (word(behind)) continue;
        const digits = digitsOf(value);
        if (CARDS.test(digits) && luhn(digits)) return { value, checked: true };
      }
      return null;
    },
    mask: (s) => stars(s, 4),
  },
  koreanRrn: {
    regex: /\d{6}-?[1-8]\d{6}/g,
    look: (m, before, after) => {
      const d = digitsOf(m);
      if (/[\w-]$/.test(before) || word(after) || after === '-') return null;
      const year = (/[3478]/.test(d[6]) ? 2000 : 1900) + Number(d.slice(0, 2));
      if (!realDay(year, Number(d.slice(2, 4)), Number(d.slice(4, 6)))) return null;
      const sum = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5].reduce((t, w, i) => t + w * Number(d[i]), 0);
      const foreign = /[5-8]/.test(d[6]) ? 2 : 0;
      const checked = (11 - (sum % 11) + foreign) % 10 === Number(d[12]);
      // Since October 2020 the last digits are random; without the dash only the check digit tells.
      return checked || m.includes('-') ? { value: m, checked } : null;
    },
    mask: (s) => stars(s, 1),
  },
  ssn: {
    regex: /\d{3}[- ]\d{2}[- ]\d{4}/g,
    look: (m, before, after) => {
      const d = digitsOf(m);
      if (m[3] !== m[6] || /[\w.-]$/.test(before) || word(after) || after === '-') return null;
      return /^(000|666|9)/.test(d) || d.slice(3, 5) === '00' || d.slice(5) === '0000' ? null : { value: m };
    },
    mask: (s) => stars(s, 2),
  },
  ipv4: {
    regex: /\d{1,3}(?:\.\d{1,3}){3}/g,
    look: (m, before, after) => {
      // 1.2.3.4.5 and version 1.2.3.4 are no addresses; 127.0.0.1 is nobody's.
      if (/[\w.:-]$|\bv(?:er(?:sion)?)?\.? ?$/i.test(before) || word(after) || !ipv4(m)) return null;
      return /^(?:0\.|127\.|255\.255\.255\.255$)/.test(m) ? null : { value: m };
    },
    mask: (s) => s.split('.')[0] + '.***.***.***',
  },
  ipv6: {
    regex: /[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:\.\d{1,3}){0,3}/g,
    look: (m, before, after) => {
      const value = m.replace(/([^:]):$/, '$1');
      if (/[\w:.]$/.test(before) || (value === m && word(after)) || !ipv6(value) || /^[0:]*1?$/.test(value)) return null;
      return { value };
    },
    mask: (s) => s.split(':')[0] + ':***',
  },
  phone: {
    regex: /(?:\+|\b00 ?)\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}|\(?0\d{1,4}\)?[ -]?\d{3,4}[ -]\d{3,5}|\(?0\d{1,4}\)?[ \/-]\d{5,9}|01[016789]\d{7,8}/g,
    look: (m, before, after) => {
      const count = digitsOf(m).length;
      if (/[\w.\/:=-]$/.test(before) || word(after) || (after === '-' && !m.startsWith('+'))) return null;
      return count >= (m.startsWith('+') ? 8 : 9) && count <= 15 ? { value: m } : null;
    },
    mask: (s) => stars(s, 2),
  },
};

let asked = Object.keys(KINDS);
if (kinds !== undefined) {
  const byLower = new Map(asked.map((k) => [k.toLowerCase(), k]));
  asked = kinds.split(',').map((k) => k.trim()).filter((k) => k !== '').map((k) => {
    const kind = byLower.get(k.toLowerCase().replace(/[\s_-]/g, ''));
    if (!kind) throw new Error('kinds: "' + k + '" is not known; use ' + [...byLower.values()].join(', '));
    return kind;
  });
  if (asked.length === 0) throw new Error('kinds is empty; leave it out to look for all');
}

// The kinds with check digits come first, so that a card is not also a phone.
const findings = [];
for (const kind of Object.keys(KINDS)) {
  if (!asked.includes(kind)) continue;
  const regex = KINDS[kind].regex;
  for (let m = regex.exec(input); m; m = regex.exec(input)) {
    const hit = KINDS[kind].look(m[0], input.slice(Math.max(0, m.index - 12), m.index), input[m.index + m[0].length]);
    // What was proposed may reach into the next number: go on behind its first part.
    regex.lastIndex = m.index + (hit ? hit.value.length : Math.max(1, /^\w*/.exec(m[0])[0].length));
    if (!hit) continue;
    const end = m.index + hit.value.length;
    if (findings.some((f) => m.index < f.end && end > f.index)) continue;
    findings.push({ kind, value: hit.value, checked: hit.checked === true, index: m.index, end });
    if (findings.length > 2000) throw new Error('text holds more than 2000 pieces of personal data; pass it in parts');
  }
}
findings.sort((a, b) => a.index - b.index);

const byKind = {};
let line = 1;
let from = 0;
let redacted = '';
let copied = 0;
const shown = [];
for (const f of findings) {
  byKind[f.kind] = (byKind[f.kind] || 0) + 1;
  for (let at = input.indexOf('\n', from); at >= 0 && at < f.index; at = input.indexOf('\n', from)) {
    line++;
    from = at + 1;
  }
  if (shown.length < most) shown.push({ kind: f.kind, preview: KINDS[f.kind].mask(f.value), index: f.index, length: f.value.length, line, checked: f.checked });
  if (redact === true) redacted += input.slice(copied, f.index) + '[' + f.kind.replace(/([A-Z])/g, '_$1').toUpperCase() + ']';
  copied = f.end;
}
const result = { found: findings.length > 0, count: findings.length, byKind, findings: shown, truncated: findings.length > shown.length };
if (redact === true) result.redacted = redacted + input.slice(copied);
return result;
