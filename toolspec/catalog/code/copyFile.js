// Copies one file. What stands at the target is replaced only on request.
const slashes = safety.fs.workspace().includes('\\') ? /[\\/]+/ : /\/+/; // Windows has both

// include shared/shownPath.js

// include shared/fileAt.js

// exists is false for a path that is not allowed; copy then refuses it.
const isDirectory = (p) => safety.fs.exists(p) && safety.fs.stat(p).directory;

fileAt(from, 'copyFile copies one file at a time (findFiles lists those in it)');
let target = to;
const into = to.split(slashes);
if (into[into.length - 1] === '' || isDirectory(to)) { // a directory: the name stays
  if (into[into.length - 1] === '') into.pop();
  target = into.concat(from.split(slashes).pop()).join('/');
}
if (shown(target) === shown(from)) throw new Error('from and to are the same file; pass another name as to');
const there = safety.fs.exists(target);
if (there) {
  if (isDirectory(target)) throw new Error(target + ' is a directory; pass another name as to');
  if (!overwrite) throw new Error(target + ' exists already and stays as it is; pass overwrite true to replace it, or another name as to');
}
safety.fs.copy(from, target);
return { from: shown(from), to: shown(target), replaced: there, sizeBytes: safety.fs.stat(target).size };
