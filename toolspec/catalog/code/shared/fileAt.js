// The file at the path. A refusal stays one; other failures say what to do.
function fileAt(p, remedy = 'pass a file in it (listDir shows them)') {
  let found;
  try {
    found = safety.fs.stat(p);
  } catch (e) {
    if (e.reason !== 'io' || safety.fs.exists(p)) throw e;
    throw new Error('no file ' + p + ' in the workspace; call listDir or findFiles to see what is there');
  }
  if (found.directory) throw new Error(p + ' is a directory; ' + remedy);
  return found;
}
