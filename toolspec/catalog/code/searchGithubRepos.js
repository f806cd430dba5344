// Searches public repositories on GitHub.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const most = limit === undefined ? 10 : Math.min(limit, 50);
if (most < 1) throw new Error('limit must be between 1 and 50, is ' + limit);
const order = sort === undefined ? 'best' : sort.trim().toLowerCase();
if (!['best', 'stars', 'forks', 'updated'].includes(order)) throw new Error('sort is "' + sort + '"; pass best, stars, forks or updated');
if (minStars !== undefined && minStars < 0) throw new Error('minStars must be 0 or more, is ' + minStars);
let words = query.trim();
if (language !== undefined) words += ' language:"' + language.trim().replace(/"/g, '') + '"';
if (minStars !== undefined) words += ' stars:>=' + minStars;
const asked = new URLSearchParams({ q: words, per_page: String(most) });
if (order !== 'best') {
  asked.set('sort', order);
  asked.set('order', 'desc');
}
const r = await fetch('https://api.github.com/search/repositories?' + asked, { headers: HEADERS });
if (r.status === 422) throw new Error('GitHub cannot read this search; use plain words in query, and a known programming language');
if (!r.ok) fail(r, 'such search');
const d = r.json();
return {
  total: d.total_count,
  count: d.items.length,
  repositories: d.items.map((i) => ({
    fullName: i.full_name,
    description: (i.description || '').slice(0, 300),
    stars: i.stargazers_count,
    forks: i.forks_count,
    language: i.language || null,
    license: i.license && i.license.spdx_id !== 'NOASSERTION' ? i.license.spdx_id : null,
    archived: i.archived === true,
    pushedAt: i.pushed_at,
    url: i.html_url,
  })),
};

// include shared/githubFail.js
