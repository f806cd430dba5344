// Lists what is directly in a directory.
const dir = path === undefined ? '.' : path;
const most = limit === undefined ? 200 : Math.min(limit, 1000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);

// include shared/shownPlace.js

let names;
try {
  names = safety.fs.list(dir);
} catch (e) {
  if (e.reason !== 'not-a-directory') throw e;
  throw new Error(dir + ' is a file, not a directory; call readTextFile or statFile with it');
}
// A directory that is missing lists as empty. So does a workspace that nothing
// was written to yet, which is no mistake.
const isRoot = /^[.\\/]+$/.test(dir) || dir === safety.fs.workspace();
if (names.length === 0 && !isRoot && !safety.fs.exists(dir)) {
  throw new Error('no directory ' + dir + ' in the workspace; call listDir without a path to see what is there');
}

const entries = names.slice(0, most).map((name) => {
  try {
    const found = safety.fs.stat(name);
    const entry = { path: name, type: found.directory ? 'directory' : 'file' };
    if (!found.directory) entry.sizeBytes = found.size;
    entry.modified = new Date(found.mtime).toISOString();
    return entry;
  } catch (e) {
    // A link that leads nowhere or out of the workspace, or a file just removed.
    if (e.reason !== 'io' && e.kind !== 'SECURITY') throw e;
    return { path: name, type: 'other' };
  }
});
return { path: shown(dir), total: names.length, truncated: names.length > entries.length, entries };
