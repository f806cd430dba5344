// Replaces a piece of text in a file. The piece must be there exactly once,
// unless all of them are meant, so that no other place is changed by mistake.
const mostPlaces = 20; // whose lines are told
if (oldText === undefined || oldText === '') throw new Error('oldText is empty; pass the text to replace, exactly as the file has it');
const replacement = newText === undefined ? '' : newText;
if (oldText === replacement) throw new Error('oldText and newText are the same: nothing would change');

// include shared/shownPath.js

// The text of the file. A refusal stays one; other failures say what to do.
function textOf(p) {
  try {
    return safety.fs.readText(p);
  } catch (e) {
    if (e.reason !== 'io') throw e;
    if (!safety.fs.exists(p)) throw new Error('no file ' + p + ' in the workspace; call writeTextFile to make one, or listDir to see what is there');
    if (safety.fs.stat(p).directory) throw new Error(p + ' is a directory; pass a file in it (listDir shows them)');
    if (e.message.includes('UTF-8')) throw new Error(p + ' is a binary file, or text that is not UTF-8: it cannot be edited');
    throw e;
  }
}

const breaks = (text) => text.split('\n').length - 1;

// How often a piece occurs, and on which lines it begins: the first ones.
function places(text, piece) {
  const lines = [];
  let line = 1;
  let from = 0;
  let at = text.indexOf(piece);
  for (let looked = 0; at >= 0 && looked < mostPlaces; looked++) {
    line += breaks(text.slice(from, at));
    if (lines[lines.length - 1] !== line) lines.push(line);
    from = at;
    at = text.indexOf(piece, at + piece.length);
  }
  return { count: text.split(piece).length - 1, lines };
}

const before = textOf(path);
// In a file with Windows line ends, those of the arguments are meant so too.
const windows = before.includes('\r\n') && before.split('\r\n').length - 1 === breaks(before);
const fit = (text) => (windows ? text.replace(/\r?\n/g, '\r\n') : text);
const piece = fit(oldText);
const { count, lines } = places(before, piece);

if (count === 0) {
  const first = oldText.split('\n').map((l) => l.trim()).find((l) => l !== '');
  const near = first === undefined ? [] : places(before, first).lines;
  throw new Error('oldText is not in ' + path + (near.length > 0
    ? '; its first line is, on line ' + near[0] + ': blanks or line breaks may differ, call sliceFile to see the exact text'
    : '; call readTextFile to see the exact text'));
}
if (count > 1 && !replaceAll) {
  throw new Error('oldText is in ' + path + ' ' + count + ' times, on lines ' + lines.join(', ') + (count > mostPlaces ? ' and so on' : '') +
    '; pass more of the text around the right one, or replaceAll true');
}
const done = safety.fs.editText(path, piece, fit(replacement), replaceAll === true);
return { path: shown(path), replacements: done.replacements, lines, sizeBytes: safety.fs.stat(path).size };
