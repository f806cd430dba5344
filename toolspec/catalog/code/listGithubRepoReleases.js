// Releases of a repository, newest first, pre-releases among them.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const path = repoPath(repo);
const most = limit === undefined ? 10 : Math.min(limit, 50);
if (most < 1) throw new Error('limit must be between 1 and 50, is ' + limit);
const r = await fetch('https://api.github.com/repos/' + path + '/releases?per_page=' + most, { headers: HEADERS });
if (!r.ok) fail(r, 'public repository ' + path + '; check the spelling, or look for it with searchGithubRepos');
const releases = r.json().map((d) => {
  const one = { tag: d.tag_name, name: d.name || d.tag_name, prerelease: d.prerelease, publishedAt: d.published_at, url: d.html_url };
  if (withNotes === true) {
    const text = (d.body || '').replace(/\r\n/g, '\n').trim();
    one.notes = text.length > 1500 ? text.slice(0, 1500) + '…' : text;
  }
  return one;
});
return { repo: path, count: releases.length, truncated: /rel="next"/.test(r.headers.get('link') || ''), releases };

// "owner/name" from that text or from the address of a page of the repository.
// Each part is checked, so that nothing in it can lead to another place.
function repoPath(text) {
  const page = /^(?:https?:\/\/)?(?:www\.)?github\.com\/([^/?#\s]+)\/([^/?#\s]+)/i.exec(text.trim());
  const plain = /^([^/\s]+)\/([^/\s]+)$/.exec(text.trim());
  const [, owner, last] = page || plain || [];
  const name = last === undefined ? '' : last.replace(/\.git$/, '');
  if (owner === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(owner) || !/^[A-Za-z0-9._-]{1,100}$/.test(name) || /^\.+$/.test(name)) {
    throw new Error('repo is "' + text + '"; pass owner/name, such as facebook/react');
  }
  return owner + '/' + name;
}
// Says what a status other than 2xx means. GitHub explains itself in "message".
function fail(r, missing) {
  let said = '';
  try { said = String(r.json().message || '').slice(0, 200); } catch (e) { /* the body is not JSON */ }
  if (r.status === 404) throw new Error('GitHub has no ' + missing);
  const wait = Number(r.headers.get('retry-after') || 0);
  const reset = Number(r.headers.get('x-ratelimit-reset') || 0);
  if (r.status === 429 || (r.status === 403 && (r.headers.get('x-ratelimit-remaining') === '0' || wait > 0 || /rate limit/i.test(said)))) {
    const when = wait > 0 ? 'in ' + wait + ' seconds' : reset > 0 ? 'after ' + new Date(reset * 1000).toISOString() : 'in an hour';
    throw new Error('the rate limit of GitHub is reached for this address; try again ' + when);
  }
  throw new Error('GitHub answered with status ' + r.status + (said === '' ? '' : ': ' + said));
}
