// Counts the lines of a text file.
function shown(p) { // as the workspace has it
  const root = safety.fs.workspace();
  const rest = p.startsWith(root) ? p.slice(root.length) : '';
  return /^[\\/]./.test(rest) ? rest.slice(1) : p.replace(/^(\.[\\/]+)+(?=.)/, '');
}

// The file at the path. A refusal stays one; other failures say what to do.
function fileAt(p) {
  let found;
  try {
    found = safety.fs.stat(p);
  } catch (e) {
    if (e.reason !== 'io' || safety.fs.exists(p)) throw e;
    throw new Error('no file ' + p + ' in the workspace; call listDir or findFiles to see what is there');
  }
  if (found.directory) throw new Error(p + ' is a directory; pass a file in it (listDir shows them)');
  return found;
}

const file = fileAt(path);
try {
  return { path: shown(path), lines: safety.fs.lineCount(path), sizeBytes: file.size };
} catch (e) {
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it has no lines to count');
}
