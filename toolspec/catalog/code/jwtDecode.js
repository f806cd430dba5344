// Shows what is in a JSON Web Token. Nothing is verified: that needs the key.
const given = token.trim().replace(/^["']|["']$/g, '').replace(/^(?:authorization:\s*)?bearer\s+/i, '').trim();
const parts = given.split('.');
if (parts.length === 5) throw new Error('token is encrypted (JWE, five parts); its content cannot be read without the key');
if (parts.length !== 3) throw new Error('token has ' + parts.length + ' part(s) between dots, a JWT has 3: header.payload.signature; pass all of it');

function textOf(part, name) {
  const strange = /[^A-Za-z0-9_-]/.exec(part);
  if (strange) throw new Error('the ' + name + ' of the token holds "' + strange[0] + '", which is no URL-safe Base64; pass the token unchanged');
  if (part.length % 4 === 1) throw new Error('the ' + name + ' of the token is cut off; pass all of it');
  const binary = atob(part.replace(/-/g, '+').replace(/_/g, '/') + '='.repeat((4 - (part.length % 4)) % 4));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i)));
  } catch (e) {
    throw new Error('the ' + name + ' of the token is no text');
  }
}

function objectOf(part, name) {
  const text = textOf(part, name);
  let value;
  try {
    value = JSON.parse(text);
  } catch (e) {
    throw new Error('the ' + name + ' of the token is no JSON: ' + text.slice(0, 40));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the ' + name + ' of the token is no JSON object');
  return value;
}

const header = objectOf(parts[0], 'header');
const payload = objectOf(parts[1], 'payload');
const warnings = [];
const algorithm = typeof header.alg === 'string' ? header.alg : null;
if (algorithm === null) warnings.push('the header names no algorithm (alg)');
else if (algorithm.toLowerCase() === 'none') warnings.push('the algorithm is none: anybody can have written this token');
if (parts[2] === '') warnings.push('the token has no signature');

const times = {};
for (const [claim, name] of [['iat', 'issuedAt'], ['nbf', 'notBefore'], ['exp', 'expires']]) {
  const seconds = payload[claim];
  if (seconds === undefined) continue;
  const d = new Date(typeof seconds === 'number' ? seconds * 1000 : NaN);
  if (Number.isNaN(d.getTime())) warnings.push(claim + ' is ' + JSON.stringify(seconds) + ', no number of seconds since 1970');
  else times[name] = d.toISOString();
  if (typeof seconds === 'number' && seconds > 253402300799) warnings.push(claim + ' looks like milliseconds; a JWT counts seconds'); // beyond the year 9999
}
const now = Date.now();
const expired = times.expires === undefined ? null : now >= payload.exp * 1000;
if (times.notBefore !== undefined && now < payload.nbf * 1000) warnings.push('the token is not valid yet');
return {
  header, payload, algorithm, times, expired, warnings,
  verified: false,
  note: 'The signature was not checked, so do not trust this content; jwtVerify checks it with the key.',
};
