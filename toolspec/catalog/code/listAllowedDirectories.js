// Tells which directories may be used, and on request whether a path lies in
// them. The guard itself is asked: a path can lead out through a link.
function look(p) {
  try {
    safety.fs.stat(p);
    return { path: p, allowed: true, exists: true };
  } catch (e) {
    if (e.kind === 'SECURITY') return { path: p, allowed: false };
    if (e.reason === 'invalid-path') throw new Error(JSON.stringify(p) + ' is not a path that can be used; pass one such as notes/todo.txt');
    if (e.reason === 'io') return { path: p, allowed: true, exists: safety.fs.exists(p) };
    throw e;
  }
}

const result = {
  workspace: safety.fs.workspace(),
  readable: safety.fs.readRoots(),
  note: 'Relative paths, such as notes/todo.txt, start in the workspace. Files are written in the workspace only.',
};
if (path !== undefined) result.check = look(path);
return result;
