// Copies one file. What stands at the target is replaced only on request.
const root = safety.fs.workspace();
const slashes = root.includes('\\') ? /[\\/]+/ : /\/+/; // Windows has both

function shown(p) { // as the workspace has it
  const rest = p.startsWith(root) ? p.slice(root.length) : '';
  return /^[\\/]./.test(rest) ? rest.slice(1) : p.replace(/^(\.[\\/]+)+(?=.)/, '');
}

// What stands at the source. A refusal stays one.
function source() {
  let found;
  try {
    found = safety.fs.stat(from);
  } catch (e) {
    if (e.reason !== 'io' || safety.fs.exists(from)) throw e;
    throw new Error('no file ' + from + ' in the workspace; call listDir or findFiles to see what is there');
  }
  if (found.directory) throw new Error(from + ' is a directory; copyFile copies one file at a time (findFiles lists those in it)');
  return found;
}

// exists is false for a path that is not allowed; copy then refuses it.
const isDirectory = (p) => safety.fs.exists(p) && safety.fs.stat(p).directory;

source();
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
