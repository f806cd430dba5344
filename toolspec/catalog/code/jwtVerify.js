// Verifies a JSON Web Token that was signed with a shared secret (HMAC).
const HASHES = { HS256: ['SHA-256', 32], HS384: ['SHA-384', 48], HS512: ['SHA-512', 64] };
const given = token.trim().replace(/^["']|["']$/g, '').replace(/^(?:authorization:\s*)?bearer\s+/i, '').trim();
const parts = given.split('.');
if (parts.length === 5) throw new Error('token is encrypted (JWE, five parts), which this tool does not do');
if (parts.length !== 3) throw new Error('token has ' + parts.length + ' part(s) between dots, a JWT has 3: header.payload.signature; pass all of it');

// bytesOf reads URL-safe Base64 (what a token holds) or, for keys, both alphabets.
function bytesOf(text) {
  const core = text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  if (!/^[A-Za-z0-9_-]*$/.test(core) || core.length % 4 === 1) return null;
  const binary = atob(core.replace(/-/g, '+').replace(/_/g, '/') + '='.repeat((4 - (core.length % 4)) % 4));
  return Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i));
}

function objectOf(part, name) {
  let value = null;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
  } catch (e) {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the ' + name + ' of the token is no JSON object in URL-safe Base64; pass the token unchanged');
  return value;
}

const header = objectOf(parts[0], 'header');
const payload = objectOf(parts[1], 'payload');
const algorithm = header.alg;
// The token must not choose to be trusted: only HMAC fits a shared secret.
if (typeof algorithm !== 'string' || algorithm.toLowerCase() === 'none') throw new Error('the token is not signed (alg ' + JSON.stringify(algorithm === undefined ? null : algorithm) + '): anybody can have written it; it is refused');
if (!Object.hasOwn(HASHES, algorithm)) {
  if (/^(RS|PS|ES|EdDSA)/.test(algorithm)) throw new Error('the token is signed with ' + algorithm + ', which needs a public key; this tool verifies HS256, HS384 and HS512 with a shared secret only');
  throw new Error('the algorithm ' + JSON.stringify(algorithm) + ' is not known; this tool verifies HS256, HS384 and HS512');
}
if (algorithms !== undefined) {
  const allowed = algorithms.toUpperCase().split(/[\s,]+/).filter((a) => a !== '');
  const odd = allowed.find((a) => !Object.hasOwn(HASHES, a));
  if (odd) throw new Error('algorithms: ' + odd + ' is none of HS256, HS384, HS512');
  if (!allowed.includes(algorithm)) throw new Error('the token is signed with ' + algorithm + ', but only ' + allowed.join(', ') + ' is allowed');
}
if (Array.isArray(header.crit) && header.crit.length > 0) throw new Error('the token demands the extensions ' + header.crit.join(', ') + ' (crit), which this tool does not know');

const encoding = keyEncoding === undefined ? 'text' : keyEncoding.trim().toLowerCase();
let secret = null;
if (encoding === 'text') secret = new TextEncoder().encode(key);
else if (encoding === 'base64' || encoding === 'base64url') secret = bytesOf(key.trim());
else if (encoding === 'hex') secret = /^(?:[0-9a-f]{2})+$/i.test(key.trim()) ? Uint8Array.from(key.trim().match(/../g), (h) => parseInt(h, 16)) : null;
else throw new Error('keyEncoding must be text, base64 or hex, is "' + keyEncoding + '"');
if (secret === null || secret.length === 0) throw new Error('key is not in ' + encoding + '; pass it in that form, or keyEncoding text');

let moment = Date.now() / 1000;
if (now !== undefined) {
  const t = now.trim();
  moment = /^\d{1,11}$/.test(t) ? Number(t) : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)$/i.test(t) ? Date.parse(t) / 1000 : NaN;
  if (Number.isNaN(moment)) throw new Error('now "' + now + '" must be like 2026-11-21T17:30:00Z, or seconds since 1970');
}
const slack = leeway === undefined ? 0 : leeway;
if (!(slack >= 0 && slack <= 3600)) throw new Error('leeway must be 0 to 3600 seconds, is ' + leeway);

const [hash, size] = HASHES[algorithm];
const imported = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash }, false, ['sign']);
const mac = new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(parts[0] + '.' + parts[1])));
const signature = /[+/=]/.test(parts[2]) ? null : bytesOf(parts[2]);
let difference = signature === null || signature.length !== mac.length ? 1 : 0;
if (difference === 0) for (let i = 0; i < mac.length; i++) difference |= mac[i] ^ signature[i]; // every byte, whatever the first ones say

const problems = [];
const at = (seconds) => new Date(seconds * 1000).toISOString();
if (difference !== 0) {
  problems.push('the signature does not fit: the token was changed, or the key is another one');
} else {
  for (const claim of ['exp', 'nbf', 'iat']) {
    if (payload[claim] !== undefined && !(typeof payload[claim] === 'number' && Math.abs(payload[claim]) < 8e12)) problems.push(claim + ' is no number of seconds since 1970');
  }
  if (problems.length === 0) {
    if (payload.exp !== undefined && moment >= payload.exp + slack) problems.push('it expired at ' + at(payload.exp));
    if (payload.nbf !== undefined && moment < payload.nbf - slack) problems.push('it is not valid before ' + at(payload.nbf));
    if (payload.iat !== undefined && moment < payload.iat - slack) problems.push('it was issued in the future, at ' + at(payload.iat));
  }
  if (issuer !== undefined && payload.iss !== issuer) problems.push('the issuer is ' + JSON.stringify(payload.iss === undefined ? null : payload.iss) + ', not ' + JSON.stringify(issuer));
  const audiences = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
  if (audience !== undefined && !audiences.includes(audience)) problems.push('the audience is ' + JSON.stringify(payload.aud === undefined ? null : payload.aud) + ', not ' + JSON.stringify(audience));
}

const notes = [];
if (secret.length < size) notes.push('the key has ' + secret.length + ' bytes; ' + algorithm + ' asks for at least ' + size);
if (payload.exp === undefined && difference === 0) notes.push('the token never expires (no exp)');
if (payload.aud !== undefined && audience === undefined && difference === 0) notes.push('the token is for ' + JSON.stringify(payload.aud) + '; pass audience to have that checked');
const result = { valid: problems.length === 0, signatureValid: difference === 0, algorithm, problems, notes };
if (difference === 0) result.payload = payload; // of a forged token nothing is shown
return result;
