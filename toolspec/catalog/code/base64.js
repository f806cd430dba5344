// Encodes text as Base64 (RFC 4648) and decodes it.
const ACTIONS = ['encode', 'decode'];
const asked = action.trim().toLowerCase();
if (!ACTIONS.includes(asked)) throw new Error('action must be encode or decode, is "' + action + '"');
const CHUNK = 8190; // a multiple of 3, so that parts can be joined

function toBase64(bytes) {
  let out = '';
  for (let i = 0; i < bytes.length; i += CHUNK) out += btoa(String.fromCharCode(...bytes.subarray(i, i + CHUNK)));
  return out;
}

if (asked === 'encode') {
  const bytes = new TextEncoder().encode(text);
  let result = toBase64(bytes);
  if (urlSafe === true) result = result.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  return { result, bytes: bytes.length };
}

// Both alphabets, with or without padding, in lines, or as a data: URL.
const notes = [];
let body = text.trim();
const url = /^data:([^,]*?)(;base64)?,/i.exec(body);
if (url) {
  if (!url[2]) throw new Error('text is a data: URL that is not in Base64; decode it with urlEncode');
  notes.push('the data: URL says ' + (url[1] || 'text/plain'));
  body = body.slice(url[0].length);
}
body = body.replace(/\s+/g, '').replace(/-/g, '+').replace(/_/g, '/');
const strange = /[^A-Za-z0-9+/=]/.exec(body);
if (strange) throw new Error('text is no Base64: "' + strange[0] + '" at character ' + (strange.index + 1) + ' (blanks not counted) does not occur in it; use action encode to encode');
const core = body.replace(/={1,2}$/, '');
if (core.includes('=')) throw new Error('text is no Base64: = stands in the middle; decode each part by itself');
if (core.length % 4 === 1) throw new Error('text is no Base64: a character is missing or too many at its end');
let binary = '';
const whole = core + '='.repeat((4 - (core.length % 4)) % 4);
for (let i = 0; i < whole.length; i += 8192) binary += atob(whole.slice(i, i + 8192));
const bytes = Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i));
const out = { result: '', bytes: bytes.length };
try {
  out.result = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
} catch (e) {
  // Not text: the first bytes tell what it is.
  out.result = Array.from(bytes.subarray(0, 1024), (b) => b.toString(16).padStart(2, '0')).join('');
  notes.push('these bytes are no text (UTF-8); result shows ' + (bytes.length > 1024 ? 'the first 1024 of them' : 'them') + ' in hexadecimal');
}
if (notes.length) out.notes = notes;
return out;
