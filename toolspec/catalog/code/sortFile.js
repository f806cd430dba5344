// Sorts the lines of a text file; the file stays as it is.
const most = limit === undefined ? 200 : Math.min(limit, 5000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);

// include shared/shownPath.js

// include shared/fileAt.js

// include shared/page.js

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
