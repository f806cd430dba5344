// Counts the lines of a text file.
// include shared/shownPath.js

// include shared/fileAt.js

const file = fileAt(path);
try {
  return { path: shown(path), lines: safety.fs.lineCount(path), sizeBytes: file.size };
} catch (e) {
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it has no lines to count');
}
