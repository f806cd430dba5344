// lookIn parts a pattern, as the helpers match names only. Folders in front of the
// name are where to look: notes/**/*.md is *.md in notes.
function lookIn(path, pattern, param) {
  const dir = path === undefined ? '.' : path;
  const glob = pattern === undefined ? '*' : pattern;
  const slash = glob.lastIndexOf('/');
  if (slash < 0) return { dir, glob };
  const folders = glob.slice(0, slash).replace(/(^|\/)\*\*$/, '');
  if (/[*?[{]/.test(folders)) throw new Error(param + ' matches names, not folders; pass the folder as path, such as path "notes" and ' + param + ' "*.md"');
  return { dir: folders === '' ? dir : dir === '.' ? folders : dir + '/' + folders, glob: glob.slice(slash + 1) };
}
