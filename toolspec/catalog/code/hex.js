// Writes the UTF-8 bytes of a text in hexadecimal, and reads them back.
const asked = action.trim().toLowerCase();
if (asked !== 'encode' && asked !== 'decode') throw new Error('action must be encode or decode, is "' + action + '"');
const between = { none: '', '': '', space: ' ', colon: ':', dash: '-', ':': ':', '-': '-' };
const chosen = separator === undefined ? 'none' : separator.trim().toLowerCase();
if (!Object.hasOwn(between, chosen)) throw new Error('separator must be none, space, colon or dash, is "' + separator + '"');

const digits = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0'));

if (asked === 'encode') {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 100000) throw new Error('text is longer than 100000 bytes; pass it in parts');
  const pairs = digits(bytes).join(between[chosen]);
  return { result: upper === true ? pairs.toUpperCase() : pairs, bytes: bytes.length };
}

// 68 65, 68:65, 0x68, \x68, #68, one or more in lines
const given = text.replace(/(?:0x|\\x|\\u00)(?=[0-9a-f]{2})|[\s:,;_#-]+/gi, ' ').trim();
const strange = /[^0-9a-f ]/i.exec(given);
if (strange) throw new Error('text is no hexadecimal: it holds "' + strange[0] + '"; use 0 to 9 and a to f, or action encode to encode');
const parts = given.split(/ +/);
// Parts of one digit are bytes with a zero left out; otherwise all digits belong together.
const joined = parts.length > 1 && parts.every((p) => p.length <= 2) ? parts.map((p) => p.padStart(2, '0')).join('') : parts.join('');
if (joined === '') throw new Error('text holds no hexadecimal digits');
if (joined.length % 2) throw new Error('text has ' + joined.length + ' digits, an odd number; a byte has two, such as 0a');
if (joined.length > 200000) throw new Error('text is longer than 100000 bytes; pass it in parts');
const bytes = Uint8Array.from(joined.match(/../g), (pair) => parseInt(pair, 16));
const out = { result: '', bytes: bytes.length };
try {
  out.result = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
} catch (e) {
  out.result = String.fromCharCode(...bytes.subarray(0, 2000)).replace(/[^ -~]/g, '.');
  out.note = 'these bytes are no text (UTF-8); result shows those that are ASCII, and dots' + (bytes.length > 2000 ? ', of the first 2000' : '');
}
return out;
