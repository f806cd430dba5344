// Takes columns out of a text file whose lines are split by a separator.
const most = limit === undefined ? 200 : Math.min(limit, 5000);
if (most < 1) throw new Error('limit must be 1 or more, is ' + limit);
const numbers = fields.map((f) => {
  const n = typeof f === 'string' && f.trim() !== '' ? Number(f) : f;
  if (!Number.isInteger(n) || n < 1) throw new Error('fields must be column numbers counted from 1, such as [1, 3]; one is ' + JSON.stringify(f));
  return n;
});
if (numbers.length === 0) throw new Error('fields is empty; pass column numbers such as [1, 3]');

// The separator. Blanks get lost on the way here, so they have names.
function separator() {
  if (delimiter === undefined) return { text: /\.csv$/i.test(path) ? ',' : '\t', regex: false };
  const named = { tab: '\t', '\\t': '\t', space: ' ', comma: ',', semicolon: ';', colon: ':', pipe: '|' };
  const name = delimiter.trim().toLowerCase();
  if (name === 'whitespace' || name === 'blanks') return { text: '\\s+', regex: true };
  if (!regex && Object.hasOwn(named, name)) return { text: named[name], regex: false };
  return { text: delimiter, regex: regex === true };
}

// include shared/shownPath.js

// include shared/fileAt.js

// include shared/page.js

fileAt(path);
const by = separator();
let all;
try {
  all = safety.fs.cut(path, { fields: numbers, delimiter: by.text, regex: by.regex });
} catch (e) {
  if (e.reason === 'cut-invalid-delimiter') {
    throw new Error('delimiter: ' + e.message.replace(/^cut: /, '') + '; leave regex out to split at plain text');
  }
  if (e.reason !== 'io' || !e.message.includes('UTF-8')) throw e;
  throw new Error(path + ' is a binary file, or text that is not UTF-8: it has no columns');
}
const lines = page(all);
return { path: shown(path), separator: by.regex ? '\t' : by.text, total: all.length, truncated: lines.length < all.length, lines };
