// Moves or renames a file or a directory. What stands at the target is replaced
// only on request, and never when it is a directory.
const root = safety.fs.workspace();
const slashes = root.includes('\\') ? /[\\/]+/ : /\/+/; // Windows has both

function shown(p) { // as the workspace has it, and without a slash at the end
  const rest = p.startsWith(root) ? p.slice(root.length) : '';
  return (/^[\\/]./.test(rest) ? rest.slice(1) : p.replace(/^(\.[\\/]+)+(?=.)/, '')).replace(/(?<=.)[\\/]+$/, '');
}

// What stands at the source. A refusal stays one.
function source() {
  try {
    return safety.fs.stat(from);
  } catch (e) {
    if (e.reason !== 'io' || safety.fs.exists(from)) throw e;
    throw new Error('no file or directory ' + from + ' in the workspace; call listDir or findFiles to see what is there');
  }
}

// exists is false for a path that is not allowed; move then refuses it.
const isDirectory = (p) => safety.fs.exists(p) && safety.fs.stat(p).directory;

const what = source().directory ? 'directory' : 'file';
let target = to;
const into = to.split(slashes);
if (shown(from) === shown(to)) throw new Error('from and to are the same; pass another name as to');
if (isDirectory(to) || (into[into.length - 1] === '' && what === 'file')) { // a directory: the name stays
  if (into[into.length - 1] === '') into.pop();
  target = into.concat(shown(from).split(slashes).pop()).join('/');
}
if (shown(from) === shown(target)) throw new Error(from + ' is there already; pass another place as to');
if (what === 'directory' && shown(target).split(slashes).join('/').startsWith(shown(from).split(slashes).join('/') + '/')) {
  throw new Error(from + ' cannot be moved into itself; pass another place as to');
}
const there = safety.fs.exists(target);
if (there) {
  if (isDirectory(target)) throw new Error(target + ' is a directory that exists already; pass another name as to');
  if (what === 'directory') throw new Error(target + ' is a file, which a directory cannot replace; pass another name as to');
  if (!overwrite) throw new Error(target + ' exists already and stays as it is; pass overwrite true to replace it, or another name as to');
}
safety.fs.move(from, target);
return { from: shown(from), to: shown(target), type: what, replaced: there };
