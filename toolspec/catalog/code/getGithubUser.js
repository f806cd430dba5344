// The public profile of a user or an organisation on GitHub.
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
const login = username.trim().replace(/^@/, '').replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//i, '').replace(/\/+$/, '');
if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?$/.test(login)) {
  throw new Error('username is "' + username + '"; pass the login name of one account, such as torvalds');
}
const r = await fetch('https://api.github.com/users/' + encodeURIComponent(login), { headers: HEADERS });
if (!r.ok) fail(r, 'user or organisation called ' + login + '; pass the login name, not the full name');
const d = r.json();
return {
  login: d.login,
  type: d.type, // User, Organization or Bot
  name: d.name || null,
  bio: d.bio || null,
  company: d.company || null,
  location: d.location || null,
  website: d.blog || null,
  followers: d.followers,
  following: d.following,
  publicRepos: d.public_repos,
  createdAt: d.created_at,
  url: d.html_url,
};

// include shared/githubFail.js
