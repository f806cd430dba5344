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

// include shared/repoPath.js
// include shared/githubFail.js
