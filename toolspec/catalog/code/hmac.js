// Computes and checks a keyed message authentication code (RFC 2104).
const NAMES = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512', hs256: 'SHA-256', hs384: 'SHA-384', hs512: 'SHA-512' };
const wanted = (algorithm === undefined ? 'sha256' : algorithm).toLowerCase().replace(/^hmac/, '').replace(/[\s_-]/g, '');
if (!Object.hasOwn(NAMES, wanted)) throw new Error('algorithm must be SHA-256, SHA-384 or SHA-512, is "' + algorithm + '"');

const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));
const FORMS = {
  hex: (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(''),
  base64: base64Of,
  base64url: (bytes) => base64Of(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''),
};
const form = output === undefined ? 'hex' : output.trim().toLowerCase();
if (!Object.hasOwn(FORMS, form)) throw new Error('output must be hex, base64 or base64url, is "' + output + '"');

// bytesOf reads text, hexadecimal or Base64 in either alphabet; null when it is none.
function bytesOf(value, encoding) {
  if (encoding === 'text') return new TextEncoder().encode(value);
  const plain = value.replace(/\s+/g, '');
  if (encoding === 'hex') return /^([0-9a-f]{2})+$/i.test(plain) ? Uint8Array.from(plain.match(/../g), (h) => parseInt(h, 16)) : null;
  const core = plain.replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]+$/.test(core) || core.length % 4 === 1) return null;
  const binary = atob(core + '='.repeat((4 - (core.length % 4)) % 4));
  return Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i));
}

const encoding = keyEncoding === undefined ? 'text' : keyEncoding.trim().toLowerCase();
if (!['text', 'hex', 'base64', 'base64url'].includes(encoding)) throw new Error('keyEncoding must be text, hex or base64, is "' + keyEncoding + '"');
const secret = bytesOf(key, encoding);
if (secret === null) throw new Error('key is not in ' + encoding + '; pass it in that form, or keyEncoding text');

const imported = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: NAMES[wanted] }, false, ['sign']);
const mac = new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text === undefined ? '' : text)));
const result = { hmac: FORMS[form](mac), algorithm: 'HMAC-' + NAMES[wanted], encoding: form };
if (expected !== undefined) {
  // Headers write sha256=...; the digits can come in any of the forms.
  const given = expected.trim().replace(/^(?:sha-?(?:256|384|512)|v\d)=/i, '');
  const known = [bytesOf(given, 'hex'), bytesOf(given, 'base64')].filter((b) => b !== null && b.length === mac.length)[0];
  if (known === undefined) {
    result.matches = false;
    result.note = 'expected is no ' + mac.length + ' bytes in hexadecimal or Base64, so it cannot be a code of ' + result.algorithm;
  } else {
    let difference = 0; // looks at every byte, whatever the first ones say
    for (let i = 0; i < mac.length; i++) difference |= mac[i] ^ known[i];
    result.matches = difference === 0;
  }
}
return result;
