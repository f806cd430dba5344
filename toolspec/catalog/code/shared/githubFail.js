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
