// Searches the text of all files in a directory and below it.
const most = limit === undefined ? 50 : Math.min(limit, 500);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);
const mostCounted = 1000; // the helper stops there
const widest = 300;

// include shared/lookIn.js

const { dir, glob } = lookIn(path, files, 'files');

const expression = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
let found;
try {
  found = safety.fs.searchInFiles(dir, glob, expression, { caseInsensitive: ignoreCase, maxDepth: maxDepth === undefined ? 0 : maxDepth });
} catch (e) {
  if (e.reason === 'search-not-a-directory') {
    if (safety.fs.exists(dir)) throw new Error(dir + ' is a file; call grepFile to search in one file');
    throw new Error('no directory ' + dir + ' in the workspace; call listDir to see what is there');
  }
  if (e.reason === 'search-invalid-glob') throw new Error('files ' + JSON.stringify(files) + ' cannot be used; pass a name with * or ?, such as *.txt or *.{js,ts}');
  if (e.reason === 'search-invalid-pattern') {
    throw new Error(e.message.replace(/^searchInFiles: /, '') + '; pass literal true to search for plain text (look-around and back-references do not exist here)');
  }
  throw e;
}

const matches = found.slice(0, most).map((hit) => ({
  file: hit.file,
  line: hit.line,
  text: hit.text.length > widest ? hit.text.slice(0, widest).replace(/[\uD800-\uDBFF]$/, '') + '…' : hit.text,
}));
const result = { total: found.length, files: new Set(found.map((hit) => hit.file)).size, truncated: matches.length < found.length, matches };
if (found.length >= mostCounted) result.note = 'Counting stopped at ' + mostCounted + ' lines; there may be more.';
return result;
