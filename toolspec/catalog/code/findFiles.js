// Finds files and directories by name, in a directory and all below it.
const most = limit === undefined ? 200 : Math.min(limit, 2000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);

const kinds = { file: 'file', files: 'file', dir: 'dir', dirs: 'dir', directory: 'dir', directories: 'dir', folder: 'dir', folders: 'dir', any: undefined, all: undefined, both: undefined };
const kind = type === undefined ? 'file' : type.trim().toLowerCase();
if (!Object.hasOwn(kinds, kind)) throw new Error('type must be file, directory or any, is ' + JSON.stringify(type));

// include shared/lookIn.js

const { dir, glob: name } = lookIn(path, pattern, 'pattern');
// Globs mind the case of letters: [aA] does not.
const glob = !ignoreCase ? name : name.replace(/\\.|\[[^\]]*\]|[A-Za-z]/g, (m) => (m.length === 1 ? '[' + m.toLowerCase() + m.toUpperCase() + ']' : m));

let found;
try {
  found = safety.fs.find(dir, glob, { type: kinds[kind], maxDepth: maxDepth === undefined ? 0 : maxDepth });
} catch (e) {
  if (e.reason === 'find-not-a-directory') {
    if (safety.fs.exists(dir)) throw new Error(dir + ' is a file; pass a directory to search in as path');
    throw new Error('no directory ' + dir + ' in the workspace; call listDir to see what is there');
  }
  if (e.reason === 'find-invalid-glob') throw new Error('pattern ' + JSON.stringify(pattern) + ' cannot be used; pass a name with * or ?, such as *.txt or report-*.{csv,xlsx}');
  throw e;
}
const paths = found.slice(0, most);
return { total: found.length, truncated: paths.length < found.length, paths };
