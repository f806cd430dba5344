function sha1(bytes) {
  const data = padded(bytes, 64, 8, true);
  const h = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0];
  const w = new Int32Array(80);
  for (let at = 0; at < data.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = big(data, at + 4 * i);
    for (let i = 16; i < 80; i++) w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    let [a, b, c, d, e] = h;
    for (let i = 0; i < 80; i++) {
      let f;
      if (i < 20) f = ((b & c) | (~b & d)) + 0x5a827999;
      else if (i < 40) f = (b ^ c ^ d) + 0x6ed9eba1;
      else if (i < 60) f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else f = (b ^ c ^ d) + 0xca62c1d6;
      const next = (left(a, 5) + f + e + w[i]) | 0;
      e = d;
      d = c;
      c = left(b, 30);
      b = a;
      a = next;
    }
    [a, b, c, d, e].forEach((x, i) => { h[i] = (h[i] + x) | 0; });
  }
  return words(h, true);
}
