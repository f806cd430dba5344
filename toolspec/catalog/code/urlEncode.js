// Percent-encodes and decodes text as RFC 3986 and HTML forms say.
const MODES = { encode: true, decode: false };
const asked = action === undefined ? 'encode' : action.trim().toLowerCase();
if (!Object.hasOwn(MODES, asked)) throw new Error('action must be encode or decode, is "' + action + '"');
const style = kind === undefined ? 'component' : kind.trim().toLowerCase();
if (!['component', 'form', 'url'].includes(style)) {
  throw new Error('kind must be component (one value), form (spaces as +) or url (a whole address), is "' + kind + '"');
}
const notes = [];
const hexOf = (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');

function encode() {
  if (/%[0-9A-Fa-f]{2}/.test(text)) {
    notes.push(style === 'url' ? 'what was percent-encoded before was kept' : 'text holds percent-encoding already; it was encoded again. Decode it first if that is not meant');
  }
  if (style === 'url') {
    // What has a meaning in an address stays, encoded parts too.
    return text.trim().split(/(%[0-9A-Fa-f]{2})/).map((part, i) => (i % 2 ? part : encodeURI(part).replace(/%5B/g, '[').replace(/%5D/g, ']'))).join('');
  }
  const strict = encodeURIComponent(text).replace(/[!'()*]/g, hexOf);
  if (style === 'component') return strict;
  // Forms keep the asterisk and write a space as +, a line end as CR LF.
  return encodeURIComponent(text.replace(/\r\n|\r|\n/g, '\r\n')).replace(/[!'()~]/g, hexOf).replace(/%20/g, '+');
}

function decode() {
  const input = style === 'form' ? text.replace(/\+/g, ' ') : text;
  if (style !== 'form' && text.includes('+')) notes.push('+ was kept as it is; pass kind form if it stands for a space');
  const broken = /%(?![0-9A-Fa-f]{2})/.exec(input);
  if (broken) throw new Error('text has a % at position ' + broken.index + ' that two hexadecimal digits do not follow; write %25 for a percent sign');
  const turn = style === 'url' ? decodeURI : decodeURIComponent; // an address keeps %2F, %3F, %26 ...
  return input.replace(/(?:%[0-9A-Fa-f]{2})+/g, (bytes, at) => {
    try {
      return turn(bytes);
    } catch (e) {
      throw new Error('text: the bytes ' + bytes.slice(0, 30) + ' at position ' + at + ' are not UTF-8; another encoding was used');
    }
  });
}

let result;
try {
  result = MODES[asked] ? encode() : decode();
} catch (e) {
  if (e instanceof URIError) throw new Error('text holds half a character (a lone surrogate); remove it');
  throw e;
}
return { result, changed: result !== text, notes };
