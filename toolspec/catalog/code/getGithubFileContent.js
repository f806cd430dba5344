// The text of one file of a repository, or the names in one folder.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github.raw+json', 'X-GitHub-Api-Version': '2022-11-28' };
const repository = repoPath(repo);
const first = startLine === undefined ? 1 : startLine;
if (first < 1) throw new Error('startLine must be 1 or more, is ' + startLine);
const most = maxLines === undefined ? 400 : Math.min(maxLines, 2000);
if (most < 1) throw new Error('maxLines must be between 1 and 2000, is ' + maxLines);

// Without a path it is the README, which GitHub finds whatever its name is.
const segments = path === undefined ? [] : path.trim().split('/').filter((s) => s !== '');
if (segments.some((s) => s === '.' || s === '..')) throw new Error('path is "' + path + '"; pass it from the top of the repository, without . and ..');
const readme = path === undefined;
const place = readme ? 'readme' : 'contents/' + segments.map(encodeURIComponent).join('/');
const branch = ref === undefined ? '' : ref.trim();
const r = await fetch('https://api.github.com/repos/' + repository + '/' + place + (branch === '' ? '' : '?' + new URLSearchParams({ ref: branch })), { headers: HEADERS });
const shownPath = readme ? 'README' : segments.join('/');
if (!r.ok) {
  fail(r, (readme ? 'README in ' : 'file "' + shownPath + '" in ') + repository + (branch === '' ? '' : ' at ' + branch) +
    ' (or no such public repository); pass path "/" to see the top folder');
}
const result = { repo: repository, path: shownPath === '' ? '/' : shownPath };

// A file comes as it is; a folder as a list of what is in it, and what is
// neither (a module of another repository) as an object that describes it.
const text = r.text();
let listing = null;
if (/^\s*\[\s*\{/.test(text) && text.includes('"git_url"')) {
  try { listing = JSON.parse(text); } catch (e) { /* a file that looks like a list */ }
}
if (listing !== null && listing.every((e) => e.name !== undefined && e.git_url !== undefined && e._links !== undefined)) {
  return {
    ...result,
    type: 'directory',
    total: listing.length,
    truncated: listing.length > 300,
    entries: listing.slice(0, 300).map((e) => (e.type === 'file' ? { name: e.name, type: e.type, sizeBytes: e.size } : { name: e.name, type: e.type })),
  };
}
if (/^application\/json/.test(r.contentType || '')) throw new Error('"' + shownPath + '" in ' + repository + ' is neither a file nor a folder, but a ' + (r.json().type || 'thing of another kind'));
if (text.includes('\u0000')) throw new Error('"' + shownPath + '" in ' + repository + ' is a binary file of ' + r.arrayBuffer().byteLength + ' bytes, which is not text');
const lines = text.replace(/\n$/, '').split('\n');
if (first > lines.length) throw new Error('startLine is ' + first + ', but the file has only ' + lines.length + ' lines');
let content = lines.slice(first - 1, first - 1 + most).join('\n');
let cut = false;
if (content.length > 40000) { // whole lines where there is more than one
  const at = content.lastIndexOf('\n', 40000);
  content = content.slice(0, at > 0 ? at : 40000);
  cut = true;
}
const end = first - 1 + content.split('\n').length;
return { ...result, type: 'file', totalLines: lines.length, startLine: first, endLine: end, truncated: cut || end < lines.length, content };

// include shared/repoPath.js
// include shared/githubFail.js
