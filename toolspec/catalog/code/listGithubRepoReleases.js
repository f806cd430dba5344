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

// include shared/repoPath.js
// include shared/githubFail.js
