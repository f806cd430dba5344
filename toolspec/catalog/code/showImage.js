// Shows a picture. Only places are taken that a browser loads as a picture and
// nothing else: https, or one of four formats within the address.

// A card is a line in words, then a block with the data. A backtick is written
// as \u0060 there, so that no text from outside can end the block.
function card(summary, payload) {
  const data = JSON.stringify(payload).replace(/[`\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  if (data.length > 300000) throw new Error('the card would hold ' + data.length + ' characters, at most 300000 fit; pass less data, shorter texts or rounded numbers');
  return summary.replace(/`/g, "'") + '\n\n```saip-action\n' + data + '\n```';
}

// clean makes one short line of a plain value, without characters that control
// a screen or the direction of writing.
function clean(value, most) {
  if (value === undefined || value === null) return '';
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value))
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return text.length <= most ? text : text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '') + '…';
}

const heading = clean(title, 120);
// named begins the line in words.
function named(what) {
  return heading === '' ? what : what + ' "' + heading + '"';
}

const address = url.trim();
const shown = clean(address, 80);
let payload;
let source;
if (/^data:/i.test(address)) {
  const parts = /^data:image\/(png|jpe?g|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/i.exec(address.replace(/\s+/g, ''));
  if (parts === null) throw new Error('url is ' + shown + ', must be data:image/png, jpeg, gif or webp in base64, or an https address');
  if (address.length > 600000) throw new Error('the picture has ' + address.length + ' characters, at most 600000 fit; pass a smaller one or an https address');
  const format = parts[1].toLowerCase().replace('jpg', 'jpeg');
  const starts = { png: /^iVBORw0KGgo/, jpeg: /^\/9j\//, gif: /^R0lGOD/, webp: /^UklGR/ };
  if (!starts[format].test(parts[2]) || parts[2].length % 4 !== 0) throw new Error('the data is no ' + format + ' picture; pass the whole file in base64');
  source = 'data:image/' + format + ';base64,' + parts[2];
  payload = { type: 'image', url: source, bytes: parts[2].length / 4 * 3 - (/=*$/.exec(parts[2])[0].length) };
} else {
  let place;
  try {
    place = new URL(address);
  } catch (e) {
    throw new Error('url is ' + shown + ', not an address; pass one such as https://example.com/cat.jpg');
  }
  if (place.protocol === 'http:') throw new Error('url must begin with https://, http:// is not shown; try ' + shown.replace(/^http:/i, 'https:'));
  if (place.protocol !== 'https:') throw new Error('url must begin with https:// or data:image/, begins with ' + place.protocol);
  if (place.username !== '' || place.password !== '') throw new Error('url must not hold a user name or a password; leave out what stands before the @');
  if (address.length > 4000) throw new Error('url has ' + address.length + ' characters, at most 4000 are taken');
  source = place.href;
  payload = { type: 'image', url: source };
}
// What a screen reader says, and what stands there while it loads.
const file = source.startsWith('data:') ? null : /([^/]+?)(?:\.[a-z0-9]+)?$/i.exec(new URL(source).pathname);
const alternative = clean(alt, 300) || heading || clean(file === null ? '' : file[1].replace(/[-_+]|%[0-9a-f]{2}/gi, ' '), 120) || 'Image';
payload.alt = alternative;
if (heading !== '') payload.title = heading;
return card(named('Image') + ': ' + alternative + (source.startsWith('data:') ? ' (' + payload.bytes + ' bytes).' : ', from ' + new URL(source).host + '.'), payload);
