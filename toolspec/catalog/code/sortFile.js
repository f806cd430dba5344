// Sorts the lines of a text file; the file stays as it is.
const most = limit === undefined ? 200 : Math.min(limit, 5000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);

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
}

// As many lines as were asked for, within what a result can hold.
function page(all) {
  const lines = [];
  let room = 100000;
  for (const line of all) {
    if (lines.length >= most) break;
    if (line.length > room) {
      if (lines.length === 0) lines.push(line.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + '…');
      break;
    }
    lines.push(line);
    room -= line.length;
  }
  return lines;
}

fileAt(path);
let sorted;
try {
  sorted = safety.fs.sort(path, { reverse, numeric, caseInsensitive: ignoreCase, unique });
} catch (e) {
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it has no lines to sort');
}
const lines = page(sorted);
return { path: shown(path), total: sorted.length, truncated: lines.length < sorted.length, lines };
