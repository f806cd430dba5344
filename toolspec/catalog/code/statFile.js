// Tells what stands at a path. That nothing does is an answer too.
// include shared/shownPlace.js

let found;
try {
  found = safety.fs.stat(path);
} catch (e) {
  if (e.reason === 'invalid-path') throw new Error(JSON.stringify(path) + ' is not a path that can be used; pass one such as notes/todo.txt');
  if (e.reason !== 'io' || safety.fs.exists(path)) throw e;
  return { path: shown(path), exists: false };
}
const result = { path: shown(path), exists: true, type: found.directory ? 'directory' : 'file' };
if (found.directory) result.entries = safety.fs.list(path).length;
else result.sizeBytes = found.size;
result.modified = new Date(found.mtime).toISOString();
return result;
