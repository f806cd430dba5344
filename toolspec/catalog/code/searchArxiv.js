// Searches preprints on arXiv. The answer is an Atom feed.
const FIELDS = { __proto__: null, all: 'all', title: 'ti', author: 'au', abstract: 'abs' };
const SORTS = { __proto__: null, relevance: 'relevance', newest: 'submittedDate', updated: 'lastUpdatedDate' };
const field = FIELDS[searchIn === undefined ? 'all' : searchIn.trim().toLowerCase()];
if (field === undefined) throw new Error('searchIn is "' + searchIn + '"; pass all, title, author or abstract');
const order = SORTS[sort === undefined ? 'relevance' : sort.trim().toLowerCase()];
if (order === undefined) throw new Error('sort is "' + sort + '"; pass relevance, newest or updated');
// A subject such as math has parts, all of which are meant; quant-ph has none.
let subject = '';
if (category !== undefined) {
  const m = /^([a-z-]+)(?:\.([a-z-]+))?$/.exec(category.trim().toLowerCase());
  if (!m) throw new Error('category is "' + category + '"; pass one of arXiv, such as cs.LG, quant-ph or math');
  const parts = ['cs', 'econ', 'eess', 'math', 'nlin', 'physics', 'q-bio', 'q-fin', 'stat'].includes(m[1]) ? '.*' : ['astro-ph', 'cond-mat'].includes(m[1]) ? '*' : '';
  subject = m[1] + (m[2] === undefined ? parts : '.' + (m[2].length === 2 ? m[2].toUpperCase() : m[2]));
}
const most = limit === undefined ? 5 : Math.min(limit, 25);
if (most < 1) throw new Error('limit must be between 1 and 25, is ' + limit);

// All words must occur; a text in quotes is one phrase; small words are noise.
const SMALL = new Set('a an and are as at by for from in is it of on or that the to with'.split(' '));
const text = query.trim();
const asked = new URLSearchParams();
const id = /^(?:arxiv:)?(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})$/i.exec(text);
if (id) {
  asked.set('id_list', id[1]);
} else {
  const parts = (text.match(/"[^"]+"|[^\s"]+/g) || []).map((p) => (p.startsWith('"') ? p : p.replace(/[():,;?!]+/g, ' ').trim())).flatMap((p) => (p.startsWith('"') ? [p] : p.split(' ')));
  const strong = parts.filter((p) => p !== '' && !SMALL.has(p.toLowerCase()));
  const kept = strong.length > 0 ? strong : parts.filter((p) => p !== '');
  if (kept.length === 0) throw new Error('query has no words to search for; pass some, such as graph neural networks');
  const terms = kept.map((p) => field + ':' + p);
  if (subject !== '') terms.push('cat:' + subject);
  asked.set('search_query', terms.join(' AND '));
  asked.set('sortBy', order);
  asked.set('sortOrder', 'descending');
}
asked.set('start', '0');
asked.set('max_results', String(most));
const r = await fetch('https://export.arxiv.org/api/query?' + asked, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/atom+xml' } });
if (r.status === 429 || r.status === 503) throw new Error('arXiv is busy or its rate limit is reached; try again in a minute');
if (!r.ok && r.status !== 400) throw new Error('arXiv answered with status ' + r.status + '; try again later');

const feed = safety.parser.xml(r.text());
const all = (e, tag) => e.children.filter((c) => c.tag === tag);
const tidy = (s) => s.replace(/\s+/g, ' ').trim();
const textOf = (e, tag) => {
  const c = all(e, tag)[0];
  return c === undefined ? '' : tidy(c.text);
};
const entries = all(feed, 'entry');
// A failure is a feed with one entry, called Error.
if (entries.length > 0 && /\/api\/errors/.test(textOf(entries[0], 'id'))) throw new Error('arXiv cannot read this search: ' + textOf(entries[0], 'summary').slice(0, 200));
if (!r.ok) throw new Error('arXiv cannot read this search; use plain words in query');

const total = Number(textOf(feed, 'opensearch:totalResults'));
// An id that is not there gives an entry without a title.
const papers = entries.filter((e) => textOf(e, 'title') !== '').map((e) => {
  const authors = all(e, 'author').map((a) => textOf(a, 'name'));
  const summary = textOf(e, 'summary');
  const pdf = all(e, 'link').find((l) => l.attrs.title === 'pdf');
  const primary = all(e, 'arxiv:primary_category')[0];
  const doi = textOf(e, 'arxiv:doi');
  const place = textOf(e, 'id').replace(/^http:/, 'https:');
  const one = {
    id: place.replace(/^.*\/abs\//, ''),
    title: textOf(e, 'title'),
    authors: authors.slice(0, 10),
    summary: summary.length > 1200 ? summary.slice(0, 1200) + '…' : summary,
    published: textOf(e, 'published').slice(0, 10),
    updated: textOf(e, 'updated').slice(0, 10),
    category: primary === undefined ? null : primary.attrs.term,
    url: place,
    pdfUrl: pdf === undefined ? null : pdf.attrs.href.replace(/^http:/, 'https:'),
  };
  if (authors.length > 10) one.authorsTotal = authors.length;
  if (doi !== '') one.doi = doi;
  return one;
});
return { total: papers.length === 0 ? 0 : total, count: papers.length, papers };
