// Searches the web through a Google Programmable Search Engine.
const words = query.trim();
if (words.length > 2000) throw new Error('query has ' + words.length + ' characters, at most 2000 are taken; use a few key words');
const count = limit === undefined ? 5 : limit;
if (count < 1 || count > 10) throw new Error('limit must be from 1 to 10, is ' + count);
const turn = page === undefined ? 1 : page;
if (turn < 1 || (turn - 1) * count + count > 100) throw new Error('page must be from 1 to ' + Math.floor(100 / count) + ' with limit ' + count + ' (the service gives the first 100 results), is ' + turn);

const address = new URL('https://www.googleapis.com/customsearch/v1');
const ask = address.searchParams;
ask.set('key', apiKey);
ask.set('cx', engineId);
ask.set('q', words);
ask.set('num', String(count));
if (turn > 1) ask.set('start', String((turn - 1) * count + 1));
if (site !== undefined) {
  const host = site.trim().toLowerCase().replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  if (!/^[^\s/?#]+\.[^\s/?#]+$/.test(host)) throw new Error('site must be a host such as example.com, is "' + site.slice(0, 60) + '"');
  ask.set('siteSearch', host);
}

const response = await fetch(address.href);
let data = {};
try {
  data = response.json();
} catch (e) {
  if (response.ok) throw new Error('Google answered with something that is not JSON; try again later');
}
if (!response.ok) {
  const told = data !== null && data.error ? data.error : {};
  const reason = Array.isArray(told.errors) && told.errors[0] ? told.errors[0].reason : told.status;
  if (response.status === 429) throw new Error('the quota of the Google search key is used up for now (100 free searches a day); try again tomorrow');
  if (response.status === 403) throw new Error('Google refused the search (' + (reason || 'forbidden') + '): check that the key may use the Custom Search API');
  if (response.status === 400) throw new Error('Google did not take the search: ' + String(told.message || 'bad request').slice(0, 200) + ' (check GOOGLE_API_KEY and GOOGLE_PSE_ID)');
  throw new Error('Google search answered ' + response.status + (response.statusText === '' ? '' : ' ' + response.statusText) + '; try again later');
}

const line = (text) => String(text === undefined || text === null ? '' : text).replace(/\s+/g, ' ').trim();
const info = data.searchInformation || {};
const results = (data.items || []).map((item) => {
  const one = { title: line(item.title), url: item.link, site: item.displayLink || '', snippet: line(item.snippet) };
  const meta = item.pagemap && item.pagemap.metatags && item.pagemap.metatags[0];
  const published = meta && (meta['article:published_time'] || meta['og:updated_time']);
  if (published) one.published = line(published).slice(0, 25);
  return one;
});
const answer = { query: words, page: turn, total: Number(info.totalResults || 0), results };
if (data.spelling && data.spelling.correctedQuery) answer.didYouMean = data.spelling.correctedQuery;
return answer;
