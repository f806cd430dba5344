// padded appends the 1 bit, zeros and the length in bits, to whole blocks.
function padded(bytes, block, lengthBytes, bigEndian) {
  const total = Math.ceil((bytes.length + 1 + lengthBytes) / block) * block;
  const out = new Uint8Array(total);
  out.set(bytes);
  out[bytes.length] = 0x80;
  let bits = bytes.length * 8;
  for (let i = 0; i < 8; i++) {
    out[bigEndian ? total - 1 - i : total - lengthBytes + i] = bits % 256;
    bits = Math.floor(bits / 256);
  }
  return out;
}

function words(list, bigEndian) {
  const out = [];
  for (const w of list) {
    const four = [w >>> 24, (w >>> 16) & 255, (w >>> 8) & 255, w & 255];
    out.push(...(bigEndian ? four : four.reverse()));
  }
  return out;
}

const big = (d, i) => (d[i] << 24) | (d[i + 1] << 16) | (d[i + 2] << 8) | d[i + 3];
const left = (x, n) => (x << n) | (x >>> (32 - n));
