// Digests in plain JavaScript over the UTF-8 bytes of the text.
// include shared/utfBytes.js

// include shared/digest.js
const right = (x, n) => (x >>> n) | (x << (32 - n));

// The constants of SHA-2, 64 bits each in hexadecimal: the fractions of the cube
// roots of the first 80 primes, and of the square roots of the first 8. SHA-256
// uses the upper halves (FIPS 180-4, sections 4.2 and 5.3).
const CUBES = '428a2f98d728ae227137449123ef65cdb5c0fbcfec4d3b2fe9b5dba58189dbbc3956c25bf348b53859f111f1b605d019923f82a4af194f9b'
  + 'ab1c5ed5da6d8118d807aa98a303024212835b0145706fbe243185be4ee4b28c550c7dc3d5ffb4e272be5d74f27b896f80deb1fe3b1696b1'
  + '9bdc06a725c71235c19bf174cf692694e49b69c19ef14ad2efbe4786384f25e30fc19dc68b8cd5b5240ca1cc77ac9c652de92c6f592b0275'
  + '4a7484aa6ea6e4835cb0a9dcbd41fbd476f988da831153b5983e5152ee66dfaba831c66d2db43210b00327c898fb213fbf597fc7beef0ee4'
  + 'c6e00bf33da88fc2d5a79147930aa72506ca6351e003826f142929670a0e6e7027b70a8546d22ffc2e1b21385c26c9264d2c6dfc5ac42aed'
  + '53380d139d95b3df650a73548baf63de766a0abb3c77b2a881c2c92e47edaee692722c851482353ba2bfe8a14cf10364a81a664bbc423001'
  + 'c24b8b70d0f89791c76c51a30654be30d192e819d6ef5218d69906245565a910f40e35855771202a106aa07032bbd1b819a4c116b8d2d0c8'
  + '1e376c085141ab532748774cdf8eeb9934b0bcb5e19b48a8391c0cb3c5c95a634ed8aa4ae3418acb5b9cca4f7763e373682e6ff3d6b2b8a3'
  + '748f82ee5defb2fc78a5636f43172f6084c87814a1f0ab728cc702081a6439ec90befffa23631e28a4506cebde82bde9bef9a3f7b2c67915'
  + 'c67178f2e372532bca273eceea26619cd186b8c721c0c207eada7dd6cde0eb1ef57d4f7fee6ed17806f067aa72176fba0a637dc5a2c898a6'
  + '113f9804bef90dae1b710b35131c471b28db77f523047d8432caab7b40c724933c9ebe0a15c9bebc431d67c49c100d4c4cc5d4becb3e42b6'
  + '597f299cfc657e2a5fcb6fab3ad6faec6c44198c4a475817';
const SQUARES = '6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b'
  + '5be0cd19137e2179';
function halves(hex) { // [high, low, high, low, ...]
  return hex.match(/.{8}/g).map((h) => parseInt(h, 16) | 0);
}
const upper = (list) => list.filter((_, i) => i % 2 === 0);

function md5(bytes) {
  const shifts = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
  const table = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);
  const data = padded(bytes, 64, 8, false);
  const h = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let at = 0; at < data.length; at += 64) {
    let [a, b, c, d] = h;
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      let f;
      let g;
      if (round === 0) { f = (b & c) | (~b & d); g = i; }
      else if (round === 1) { f = (d & b) | (~d & c); g = (5 * i + 1) & 15; }
      else if (round === 2) { f = b ^ c ^ d; g = (3 * i + 5) & 15; }
      else { f = c ^ (b | ~d); g = (7 * i) & 15; }
      const p = at + 4 * g;
      const word = data[p] | (data[p + 1] << 8) | (data[p + 2] << 16) | (data[p + 3] << 24);
      const next = (b + left((a + f + table[i] + word) | 0, shifts[round][i & 3])) | 0;
      a = d;
      d = c;
      c = b;
      b = next;
    }
    h[0] = (h[0] + a) | 0;
    h[1] = (h[1] + b) | 0;
    h[2] = (h[2] + c) | 0;
    h[3] = (h[3] + d) | 0;
  }
  return words(h, false);
}

// include shared/shaOne.js

function sha256(bytes) {
  const k = upper(halves(CUBES));
  const h = upper(halves(SQUARES));
  const data = padded(bytes, 64, 8, true);
  const w = new Int32Array(64);
  for (let at = 0; at < data.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = big(data, at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15];
      const y = w[i - 2];
      w[i] = w[i - 16] + (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) + w[i - 7] + (right(y, 17) ^ right(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, last] = h;
    for (let i = 0; i < 64; i++) {
      const t1 = (last + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
      const t2 = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      last = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, last].forEach((x, i) => { h[i] = (h[i] + x) | 0; });
  }
  return words(h, true);
}

// sha512 keeps each 64-bit word as two halves: [high, low] at 2i and 2i + 1.
function sha512(bytes) {
  const k = halves(CUBES);
  const h = halves(SQUARES);
  const data = padded(bytes, 128, 16, true);
  const w = new Int32Array(160);
  let hi = 0; // the sum in the making
  let lo = 0;
  function add(high, low) {
    const sum = (lo >>> 0) + (low >>> 0);
    hi = (hi + high + (sum > 0xffffffff ? 1 : 0)) | 0;
    lo = sum | 0;
  }
  const rotHigh = (high, low, n) => (n < 32 ? (high >>> n) | (low << (32 - n)) : (low >>> (n - 32)) | (high << (64 - n)));
  const rotLow = (high, low, n) => rotHigh(low, high, n);
  for (let at = 0; at < data.length; at += 128) {
    for (let i = 0; i < 32; i++) w[i] = big(data, at + 4 * i);
    for (let i = 32; i < 160; i += 2) {
      const xh = w[i - 30];
      const xl = w[i - 29];
      const yh = w[i - 4];
      const yl = w[i - 3];
      hi = w[i - 32];
      lo = w[i - 31];
      add(rotHigh(xh, xl, 1) ^ rotHigh(xh, xl, 8) ^ (xh >>> 7), rotLow(xh, xl, 1) ^ rotLow(xh, xl, 8) ^ ((xl >>> 7) | (xh << 25)));
      add(w[i - 14], w[i - 13]);
      add(rotHigh(yh, yl, 19) ^ rotHigh(yh, yl, 61) ^ (yh >>> 6), rotLow(yh, yl, 19) ^ rotLow(yh, yl, 61) ^ ((yl >>> 6) | (yh << 26)));
      w[i] = hi;
      w[i + 1] = lo;
    }
    const s = Int32Array.from(h); // a to h
    for (let i = 0; i < 160; i += 2) {
      const eh = s[8];
      const el = s[9];
      hi = s[14];
      lo = s[15];
      add(rotHigh(eh, el, 14) ^ rotHigh(eh, el, 18) ^ rotHigh(eh, el, 41), rotLow(eh, el, 14) ^ rotLow(eh, el, 18) ^ rotLow(eh, el, 41));
      add((eh & s[10]) ^ (~eh & s[12]), (el & s[11]) ^ (~el & s[13]));
      add(k[i], k[i + 1]);
      add(w[i], w[i + 1]);
      const t1h = hi;
      const t1l = lo;
      const ah = s[0];
      const al = s[1];
      hi = s[6];
      lo = s[7];
      add(t1h, t1l);
      const nextEh = hi;
      const nextEl = lo;
      hi = t1h;
      lo = t1l;
      add(rotHigh(ah, al, 28) ^ rotHigh(ah, al, 34) ^ rotHigh(ah, al, 39), rotLow(ah, al, 28) ^ rotLow(ah, al, 34) ^ rotLow(ah, al, 39));
      add((ah & s[2]) ^ (ah & s[4]) ^ (s[2] & s[4]), (al & s[3]) ^ (al & s[5]) ^ (s[3] & s[5]));
      s.copyWithin(2, 0, 14);
      s[8] = nextEh;
      s[9] = nextEl;
      s[0] = hi;
      s[1] = lo;
    }
    for (let i = 0; i < 16; i += 2) {
      hi = h[i];
      lo = h[i + 1];
      add(s[i], s[i + 1]);
      h[i] = hi;
      h[i + 1] = lo;
    }
  }
  return words(h, true);
}

function crc32(bytes) {
  const table = Array.from({ length: 256 }, (_, n) => {
    for (let i = 0; i < 8; i++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let crc = -1;
  for (const b of bytes) crc = (crc >>> 8) ^ table[(crc ^ b) & 255];
  return words([~crc], true);
}

function base64(bytes) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0);
    out += digits[n >> 18] + digits[(n >> 12) & 63] + (i + 1 < bytes.length ? digits[(n >> 6) & 63] : '=') + (i + 2 < bytes.length ? digits[n & 63] : '=');
  }
  return out;
}

const algorithms = { sha256, sha1, sha512, md5, crc32 };
const wanted = algorithm === undefined ? 'sha256' : algorithm.toLowerCase().replace(/[-_ ]/g, '');
if (!Object.keys(algorithms).includes(wanted)) {
  throw new Error('algorithm "' + algorithm + '" is unknown; use sha256, sha1, sha512, md5 or crc32');
}
const form = encoding === undefined ? 'hex' : encoding.toLowerCase();
if (form !== 'hex' && form !== 'base64') throw new Error('encoding must be hex or base64, is "' + encoding + '"');
const input = utf8(text === undefined ? '' : text);
const digest = algorithms[wanted](input);
return {
  algorithm: wanted,
  hash: form === 'hex' ? digest.map((b) => b.toString(16).padStart(2, '0')).join('') : base64(digest),
  encoding: form,
  bytes: input.length,
};
