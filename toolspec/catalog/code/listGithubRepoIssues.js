// Issues of a repository, newest first. The API lists pull requests among
// them: those are left out, and more pages are read to make up for it.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const path = repoPath(repo);
const most = limit === undefined ? 10 : Math.min(limit, 50);
if (most < 1) throw new Error('limit must be between 1 and 50, is ' + limit);
const wanted = state === undefined ? 'open' : state.trim().toLowerCase();
if (!['open', 'closed', 'all'].includes(wanted)) throw new Error('state is "' + state + '"; pass open, closed or all');
const order = sort === undefined ? 'created' : sort.trim().toLowerCase();
if (!['created', 'updated', 'comments'].includes(order)) throw new Error('sort is "' + sort + '"; pass created, updated or comments');

const issues = [];
let more = true;
for (let page = 1; page <= 3 && more && issues.length <= most; page++) {
  const query = new URLSearchParams({ state: wanted, sort: order, direction: 'desc', per_page: '50', page: String(page) });
  const names = labels === undefined ? [] : labels.split(',').map((l) => l.trim()).filter((l) => l !== '');
  if (names.length > 0) query.set('labels', names.join(','));
  const r = await fetch('https://api.github.com/repos/' + path + '/issues?' + query, { headers: HEADERS });
  if (r.status === 410) throw new Error('the repository ' + path + ' has issues switched off');
  if (!r.ok) fail(r, 'public repository ' + path + '; check the spelling, or look for it with searchGithubRepos');
  for (const issue of r.json()) {
    if (issue.pull_request) continue;
    const one = {
      number: issue.number,
      title: issue.title,
      state: issue.state,
      labels: issue.labels.map((l) => (typeof l === 'string' ? l : l.name)),
      author: issue.user ? issue.user.login : null, // null: the account is gone
      comments: issue.comments,
      createdAt: issue.created_at,
      updatedAt: issue.updated_at,
      url: issue.html_url,
    };
    if (issue.closed_at) one.closedAt = issue.closed_at;
    issues.push(one);
  }
  more = /rel="next"/.test(r.headers.get('link') || '');
}
const shown = issues.slice(0, most);
return { repo: path, state: wanted, count: shown.length, truncated: more || issues.length > most, issues: shown };

// include shared/repoPath.js
// include shared/githubFail.js
