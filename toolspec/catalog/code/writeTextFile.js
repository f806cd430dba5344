// Writes a text file. What stands there is replaced only on request.
const content = text === undefined ? '' : text;
if (/[\\/]$/.test(path)) throw new Error('path must name a file and ends in a slash; pass one such as notes/todo.txt');

// include shared/shownPath.js

// exists is false for a path that is not allowed; writeText then refuses it.
const there = safety.fs.exists(path);
if (there) {
  if (safety.fs.stat(path).directory) throw new Error(path + ' is a directory; pass the path of a file, such as ' + path + '/notes.txt');
  if (!overwrite) throw new Error(path + ' exists already and stays as it is; pass overwrite true to replace it, another path, or call appendTextFile to add to it');
}
safety.fs.writeText(path, content);
return { path: shown(path), replaced: there, sizeBytes: safety.fs.stat(path).size };
