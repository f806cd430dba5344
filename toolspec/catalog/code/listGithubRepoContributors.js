// Who made the commits of a repository, most commits first.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const path = repoPath(repo);
const most = limit === undefined ? 10 : Math.min(limit, 100);
if (most < 1) throw new Error('limit must be between 1 and 100, is ' + limit);
const place = 'https://api.github.com/repos/' + path + '/contributors?';
const r = await fetch(place + 'per_page=' + most, { headers: HEADERS });
if (r.status === 204) return { repo: path, total: 0, count: 0, contributors: [] }; // nothing was committed yet
if (r.status === 403 && /too large/i.test(r.text())) throw new Error('the history of ' + path + ' is so large that GitHub does not list its contributors');
if (!r.ok) fail(r, 'public repository ' + path + '; check the spelling, or look for it with searchGithubRepos');
const contributors = r.json().map((c) => ({ login: c.login, type: c.type, commits: c.contributions, url: c.html_url }));

// With one on each page the number of the last page is the number of people.
let total = contributors.length;
if (/rel="next"/.test(r.headers.get('link') || '')) {
  const counted = await fetch(place + 'per_page=1&anon=true', { headers: HEADERS });
  const last = counted.ok ? /[?&]page=(\d+)[^>]*>; rel="last"/.exec(counted.headers.get('link') || '') : null;
  total = last ? Number(last[1]) : null;
}
return { repo: path, total, count: contributors.length, contributors };

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
