// Shows a picture. Only places are taken that a browser loads as a picture and
// nothing else: https, or one of four formats within the address.

// include shared/card.js

// include shared/named.js

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
