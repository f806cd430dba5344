// Searches Wikipedia and gives the beginning of each article that was found.
const NAMES = { __proto__: null, english: 'en', korean: 'ko', japanese: 'ja', spanish: 'es', german: 'de', french: 'fr', chinese: 'zh' };
const asked = language === undefined ? 'en' : language.trim().toLowerCase();
const code = NAMES[asked] || asked.split(/[-_]/)[0];
if (!Object.values(NAMES).includes(code)) throw new Error('language is "' + language + '"; pass en, ko, ja, es, de, fr or zh');
const most = limit === undefined ? 3 : Math.min(limit, 10);
if (most < 1) throw new Error('limit must be between 1 and 10, is ' + limit);
const words = new URLSearchParams({
  action: 'query', format: 'json', formatversion: '2',
  generator: 'search', gsrsearch: query.trim(), gsrlimit: String(most),
  prop: 'extracts|info|description', exintro: '1', explaintext: '1', exlimit: 'max', exchars: '1000', inprop: 'url',
});
const r = await fetch('https://' + code + '.wikipedia.org/w/api.php?' + words, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429) {
  const wait = r.headers.get('retry-after') || '';
  throw new Error('the rate limit of Wikipedia is reached; try again ' + (/^\d+$/.test(wait) ? 'in ' + wait + ' seconds' : 'in a minute'));
}
if (!r.ok) throw new Error('Wikipedia answered with status ' + r.status + '; try again later');
const d = r.json();
if (d.error) throw new Error('Wikipedia could not search: ' + String(d.error.info || d.error.code).slice(0, 200)); // comes with status 200
const pages = d.query && d.query.pages ? d.query.pages.slice() : []; // no member "query": nothing was found
pages.sort((a, b) => a.index - b.index);
return {
  language: code,
  count: pages.length,
  results: pages.map((p) => ({ title: p.title, description: p.description || null, extract: (p.extract || '').trim(), url: p.fullurl })),
};
