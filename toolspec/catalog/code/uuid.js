// Makes UUIDs of RFC 9562, or says what one is.
const NAMESPACES = {
  dns: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
  url: '6ba7b811-9dad-11d1-80b4-00c04fd430c8',
  oid: '6ba7b812-9dad-11d1-80b4-00c04fd430c8',
  x500: '6ba7b814-9dad-11d1-80b4-00c04fd430c8',
};
const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function normal(s) {
  const bare = s.trim().toLowerCase().replace(/^urn:uuid:/, '').replace(/^\{(.*)\}$/, '$1');
  if (SHAPE.test(bare)) return bare;
  return /^[0-9a-f]{32}$/.test(bare) ? format(bytesOf(bare)) : null;
}

function bytesOf(s) {
  return s.replace(/-/g, '').match(/../g).map((h) => parseInt(h, 16));
}

function format(bytes) {
  const hex = bytes.map((b) => b.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function stamped(bytes, version) {
  const b = bytes.slice(0, 16);
  b[6] = (b[6] & 0x0f) | (version << 4);
  b[8] = (b[8] & 0x3f) | 0x80;
  return format(b);
}

// include shared/utfBytes.js

// include shared/digest.js

// include shared/shaOne.js

function describe(text) {
  const id = normal(text);
  if (id === null) return { uuids: [], valid: false, version: null, variant: null, time: null };
  if (/^[0-]+$/.test(id)) return { uuids: [id], valid: true, version: 0, variant: 'nil', time: null };
  if (/^[f-]+$/.test(id)) return { uuids: [id], valid: true, version: 15, variant: 'max', time: null };
  const b = bytesOf(id);
  const standard = (b[8] & 0xc0) === 0x80;
  const number = b[6] >> 4;
  const out = { uuids: [id], valid: true, version: standard ? number : null, variant: standard ? 'RFC 9562' : 'other', time: null };
  let ms = NaN;
  if (standard && number === 7) {
    ms = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  } else if (standard && (number === 1 || number === 6)) {
    // 100 ns steps since the Gregorian calendar began, 15 October 1582.
    const steps = number === 1 ? id.slice(15, 18) + id.slice(9, 13) + id.slice(0, 8) : id.slice(0, 8) + id.slice(9, 13) + id.slice(15, 18);
    ms = Number(BigInt('0x' + steps) / 10000n) - 12219292800000;
  }
  if (Math.abs(ms) <= 8.64e15) out.time = new Date(ms).toISOString();
  return out;
}

if (check !== undefined) return describe(check);

const kind = version === undefined ? (name === undefined ? 4 : 5) : version;
const many = count === undefined ? 1 : count;
if (many < 1 || many > 100) throw new Error('count must be between 1 and 100, is ' + many);
if (kind !== 5 && name !== undefined) throw new Error('name belongs to version 5; leave it out for version ' + kind);
if (kind !== 7 && time !== undefined) throw new Error('time belongs to version 7; leave it out for version ' + kind);

const uuids = [];
if (kind === 4) {
  for (let i = 0; i < many; i++) uuids.push(crypto.randomUUID());
} else if (kind === 5) {
  if (name === undefined || namespace === undefined) throw new Error('version 5 needs a name, and a namespace: dns, url, oid, x500 or a UUID');
  const known = namespace.trim().toLowerCase();
  const space = Object.hasOwn(NAMESPACES, known) ? NAMESPACES[known] : normal(namespace);
  if (!space) throw new Error('namespace "' + namespace + '" is none of dns, url, oid, x500 and no UUID');
  if (many > 1) throw new Error('version 5 gives one UUID for one name; leave count out');
  uuids.push(stamped(sha1([...bytesOf(space), ...utf8(name)]), 5));
} else if (kind === 7) {
  const ms = time === undefined ? Date.now() : Date.parse(time);
  if (!(ms >= 0 && ms < 2 ** 48)) throw new Error('time "' + time + '" is not understood; write it like 2024-03-31T12:00:00Z');
  // Random bits that only grow keep the UUIDs of one call in order.
  const random = crypto.getRandomValues(new Uint8Array(16));
  random[6] &= 0x07; // room to count up
  for (let i = 0; i < many; i++) {
    const b = Array.from(random);
    for (let j = 0, rest = ms; j < 6; j++, rest = Math.floor(rest / 256)) b[5 - j] = rest % 256;
    const counter = ((random[6] & 0x0f) << 8 | random[7]) + i;
    b[6] = counter >> 8;
    b[7] = counter & 255;
    crypto.getRandomValues(random.subarray(8));
    uuids.push(stamped(b, 7));
  }
} else {
  throw new Error('version must be 4 (random), 5 (from a name) or 7 (random, in order of time), is ' + kind);
}
const first = describe(uuids[0]);
return { uuids, valid: uuids.every((u) => SHAPE.test(u)), version: first.version, variant: first.variant, time: first.time };
