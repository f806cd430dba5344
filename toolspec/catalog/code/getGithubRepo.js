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

// include shared/repoPath.js
// include shared/githubFail.js
