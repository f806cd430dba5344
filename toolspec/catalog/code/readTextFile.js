// Reads a text file, part by part when it is long.
const size = maxChars === undefined ? 20000 : Math.min(maxChars, 100000);
const start = offset === undefined ? 0 : offset;
if (size < 1) throw new Error('maxChars must be 1 or more, is ' + maxChars);
if (start < 0) throw new Error('offset must be 0 or more, is ' + offset);

// include shared/shownPath.js

// include shared/fileAt.js

function binary(p, what) {
  return new Error(p + ' is ' + (what || 'a binary file, or text that is not UTF-8') + ' and cannot be read as text; statFile tells its size');
}

// What people take for text and is none, by the first characters. Only these
// are ASCII to begin with; other formats are just called binary.
function format(head) {
  if (head.startsWith('%PDF-')) return 'a PDF document';
  if (head.startsWith('PK\u0003\u0004')) return 'a ZIP archive (such as docx, xlsx or zip)';
  if (head.startsWith('GIF8')) return 'a GIF image';
  if (head.startsWith('PNG', 1)) return 'a PNG image';
  if (head.startsWith('SQLite format 3')) return 'an SQLite database';
  return '';
}

const file = fileAt(path, 'call listDir to see what is in it');
let text;
try {
  text = safety.fs.readText(path);
} catch (e) {
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw binary(path, format(String.fromCharCode(...safety.fs.readBytes(path).slice(0, 16))));
}
if (text.includes('\u0000')) throw binary(path, format(text.slice(0, 16)));
if (text.startsWith('\uFEFF')) text = text.slice(1); // a mark, no text

const total = text.length;
if (start > total) throw new Error('offset ' + start + ' lies behind the end: the file has ' + total + ' characters');
let end = Math.min(start + size, total);
// A pair of code units is one character: it is given whole.
if (end < total && /[\uD800-\uDBFF]/.test(text[end - 1])) end += end - 1 > start ? -1 : 1;

const result = { path: shown(path), text: text.slice(start, end), sizeBytes: file.size, totalChars: total, truncated: end < total };
if (end < total) {
  result.nextOffset = end;
  result.note = 'This is not all: call again with offset ' + end + ' to read on.';
}
return result;
