// Finds the lines of one file that match a pattern.
const most = limit === undefined ? 100 : Math.min(limit, 1000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);
const mostCounted = 10000; // the helper stops there
const widest = 500;

// include shared/shownPath.js

// include shared/fileAt.js

fileAt(path, 'call searchInFiles to search all files in it');
const expression = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
let found;
try {
  found = safety.fs.grep(expression, path, { caseInsensitive: ignoreCase, numbered: true });
} catch (e) {
  if (e.reason === 'grep-invalid-pattern') {
    throw new Error(e.message.replace(/^grep: /, '') + '; pass literal true to search for plain text (look-around and back-references do not exist here)');
  }
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it cannot be searched');
}

const matches = found.slice(0, most).map((numbered) => {
  const colon = numbered.indexOf(':');
  const text = numbered.slice(colon + 1);
  return { line: Number(numbered.slice(0, colon)), text: text.length > widest ? text.slice(0, widest).replace(/[\uD800-\uDBFF]$/, '') + '…' : text };
});
const result = { path: shown(path), total: found.length, truncated: matches.length < found.length, matches };
if (found.length >= mostCounted) result.note = 'Counting stopped at ' + mostCounted + ' lines; there may be more.';
return result;
