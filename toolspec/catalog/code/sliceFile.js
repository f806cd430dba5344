// Reads a range of lines of a text file, counted from 1 as grepFile does.
const mostLines = 1000;
const mostChars = 100000;
if (firstLine === 0 || lastLine === 0) throw new Error('lines are counted from 1; there is no line 0');

// include shared/shownPath.js

// include shared/fileAt.js

fileAt(path);
let total;
try {
  total = safety.fs.lineCount(path);
} catch (e) {
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it has no lines to read');
}
if (total === 0) return { path: shown(path), firstLine: 0, lastLine: 0, totalLines: 0, text: '', truncated: false };

// Negative numbers count from the end: -1 is the last line.
const line = (n, otherwise) => (n === undefined ? otherwise : n < 0 ? total + 1 + n : n);
const first = Math.max(line(firstLine, 1), 1);
const last = Math.min(line(lastLine, total), total);
if (first > total) throw new Error('the file has only ' + total + ' lines, firstLine is ' + firstLine);
if (last < first) throw new Error('lastLine comes before firstLine: the range would be ' + first + ' to ' + last + ' of ' + total + ' lines');

const lines = [];
let room = mostChars;
let cut = false;
for (const one of safety.fs.slice(path, first - 1, Math.min(last, first + mostLines - 1))) {
  if (one.length > room) {
    cut = lines.length === 0; // a line longer than a whole result is given in part
    if (cut) lines.push(one.slice(0, room).replace(/[\uD800-\uDBFF]$/, ''));
    break;
  }
  lines.push(one);
  room -= one.length + 1;
}
const end = first + lines.length - 1;
const result = { path: shown(path), firstLine: first, lastLine: end, totalLines: total, text: lines.join('\n'), truncated: cut || end < last };
if (cut) result.note = 'Line ' + end + ' is longer than what is shown; readTextFile reads any part of it.';
else if (end < last) result.note = 'This is not all: call again with firstLine ' + (end + 1) + ' to read on.';
return result;
