// The newest full release of a repository (neither a draft nor a pre-release).
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const path = repoPath(repo);
const r = await fetch('https://api.github.com/repos/' + path + '/releases/latest', { headers: HEADERS });
if (!r.ok) fail(r, 'full release of ' + path + ' (or no such public repository); try listGithubRepoReleases, which also shows pre-releases');
const d = r.json();
const notes = (d.body || '').replace(/\r\n/g, '\n').trim();
const assets = d.assets.map((a) => ({ name: a.name, sizeBytes: a.size, downloads: a.download_count, url: a.browser_download_url }));
return {
  repo: path,
  tag: d.tag_name,
  name: d.name || d.tag_name,
  publishedAt: d.published_at,
  author: d.author ? d.author.login : null,
  notes: notes.slice(0, 4000),
  notesTruncated: notes.length > 4000,
  assets: assets.slice(0, 30),
  assetsTotal: assets.length,
  url: d.html_url,
};

// include shared/repoPath.js
// include shared/githubFail.js
