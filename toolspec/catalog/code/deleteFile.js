// Deletes one file. A name that is not there is most likely a mistake, and
// told as one.
// include shared/shownPath.js

let existed;
try {
  existed = safety.fs.delete(path);
} catch (e) {
  if (e.reason !== 'delete-is-directory') throw e;
  throw new Error(path + ' is a directory, nothing was deleted; call deleteDir to delete directories');
}
if (!existed) throw new Error('no file ' + path + ' in the workspace, nothing was deleted; call listDir or findFiles to see what is there');
return { path: shown(path), deleted: true };
