if (!/^[imsuy]*$/.test(asked)) throw new Error('flags may hold i, m, s, u and y, is "' + flags + '"');
if (/(^|[^\\])(\\\\)*\\p\{/i.test(pattern)) {
  throw new Error('pattern: property classes such as p{L} are not supported; list the characters, such as [A-Za-zÀ-ÿ]');
}
let regex;
try {
  regex = new RegExp(pattern, asked + 'g');
} catch (e) {
  throw new Error('pattern is no valid regular expression: ' + e.message);
}
