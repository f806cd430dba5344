// Facts about one public repository, from the REST API of GitHub.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const path = repoPath(repo);
const r = await fetch('https://api.github.com/repos/' + path, { headers: HEADERS });
if (!r.ok) fail(r, 'public repository ' + path + '; check the spelling, or look for it with searchGithubRepos');
const d = r.json();
const result = {
  fullName: d.full_name,
  description: d.description || '',
  url: d.html_url,
  homepage: d.homepage || null,
  language: d.language || null,
  license: d.license ? d.license.spdx_id === 'NOASSERTION' ? d.license.name : d.license.spdx_id || d.license.name : null,
  topics: d.topics || [],
  stars: d.stargazers_count,
  forks: d.forks_count,
  watchers: d.subscribers_count === undefined ? null : d.subscribers_count, // "watchers_count" is the stars again
  openIssuesAndPullRequests: d.open_issues_count,
  archived: d.archived === true,
  defaultBranch: d.default_branch,
  createdAt: d.created_at,
  pushedAt: d.pushed_at || null,
};
if (d.parent) result.forkOf = d.parent.full_name;
return result;

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
