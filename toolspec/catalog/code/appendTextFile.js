// Adds text at the end of a file, on lines of its own unless told otherwise.
const own = newLine === undefined ? true : newLine;
if (text === undefined || text === '') throw new Error('text is empty; pass the text to add');
if (/[\\/]$/.test(path)) throw new Error('path must name a file and ends in a slash; pass one such as notes/todo.txt');

// include shared/shownPath.js

// Whether the file ends in the middle of a line. One too large to read is
// taken to end well, as logs do.
function midLine() {
  try {
    const bytes = safety.fs.readBytes(path);
    return bytes.length > 0 && bytes[bytes.length - 1] !== 10;
  } catch (e) {
    if (e.reason === 'file-too-large') return false;
    throw e;
  }
}

// exists is false for a path that is not allowed; appendText then refuses it.
const there = safety.fs.exists(path);
if (there && safety.fs.stat(path).directory) throw new Error(path + ' is a directory; pass the path of a file in it');
let added = text;
if (own) {
  if (there && midLine()) added = '\n' + added;
  if (!added.endsWith('\n')) added += '\n';
}
safety.fs.appendText(path, added);
return { path: shown(path), created: !there, addedBytes: new TextEncoder().encode(added).length, sizeBytes: safety.fs.stat(path).size };
