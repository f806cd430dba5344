// Replaces what a regular expression matches, up to a limit.
if (limit !== undefined && limit < 1) throw new Error('limit must be 1 or more, is ' + limit);
const asked = flags === undefined ? '' : flags.trim().replace(/g/g, '');
// include shared/regex.js

const input = text === undefined ? '' : text;
const form = replacement === undefined ? '' : replacement;
const groups = new RegExp(pattern + '|', asked).exec('').length - 1;
const notes = [];

// expand writes the replacement of one match: $1, ${1}, $<name>, $& and $$.
function expand(m) {
  return form.replace(/\$(?:(\$)|(&)|<([^>]*)>|\{(\d+)\}|(\d\d?))/g, (all, dollar, whole, name, braced, digits) => {
    if (dollar) return '$';
    if (whole) return m[0];
    if (name !== undefined) {
      if (!m.groups || !Object.hasOwn(m.groups, name)) throw new Error('replacement: the pattern has no group called "' + name + '"; name it (?<' + name + '>...)');
      return m.groups[name] === undefined ? '' : m.groups[name];
    }
    let number = Number(braced === undefined ? digits : braced);
    let rest = '';
    // $12 is group 1 and a 2 when there is no group 12.
    if (braced === undefined && number > groups && digits.length === 2) [number, rest] = [Number(digits[0]), digits[1]];
    if (number < 1 || number > groups) throw new Error('replacement: ' + all + ' names a group that the pattern does not have (it has ' + groups + '); write $$ for a dollar sign');
    return (m[number] === undefined ? '' : m[number]) + rest;
  });
}
if (/\\[1-9]/.test(form) && groups > 0) notes.push('the replacement holds a backslash and a digit, which stay as they are; write $1 for a group');

const parts = [];
let last = 0;
let found = 0;
let replaced = 0;
for (const m of input.matchAll(regex)) {
  found++;
  if (limit !== undefined && replaced >= limit) continue;
  parts.push(input.slice(last, m.index), expand(m));
  last = m.index + m[0].length;
  replaced++;
}
parts.push(input.slice(last));
const result = parts.join('');
if (result.length > 900000) throw new Error('the result is longer than 900000 characters; pass a smaller text or replacement');
return { text: result, replaced, found, notes };
