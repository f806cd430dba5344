// Deletes a directory, with what is in it only on request.
const root = safety.fs.workspace();

function shown(p) { // as the workspace has it, and without a slash at the end
  const rest = p.startsWith(root) ? p.slice(root.length) : '';
  return (/^[\\/]./.test(rest) ? rest.slice(1) : p.replace(/^(\.[\\/]+)+(?=.)/, '')).replace(/(?<=.)[\\/]+$/, '');
}

// The workspace itself is left to deleteDir, which refuses it whatever is asked.
const isRoot = /^[.\\/]+$/.test(path) || path === root;
if (!isRoot && !recursive) {
  let inside;
  try {
    inside = safety.fs.find(path).length;
  } catch (e) {
    if (e.reason !== 'find-not-a-directory') throw e;
    inside = 0; // a file or nothing: told below
  }
  if (inside > 0) throw new Error(path + ' is not empty, nothing was deleted: it holds ' + inside + ' files and directories; pass recursive true to delete them all');
}
let removed;
try {
  removed = safety.fs.deleteDir(path);
} catch (e) {
  if (e.reason !== 'deletedir-not-a-directory') throw e;
  throw new Error(path + ' is a file, nothing was deleted; call deleteFile to delete files');
}
if (removed === 0) throw new Error('no directory ' + path + ' in the workspace, nothing was deleted; call listDir to see what is there');
return { path: shown(path), deleted: true, entries: removed };
