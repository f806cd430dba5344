// Searches Hacker News with its public search (Algolia).
const KINDS = ['story', 'comment', 'show_hn', 'ask_hn', 'job', 'poll', 'front_page'];
const kind = type === undefined ? 'story' : type.trim().toLowerCase().replace(/[\s-]+/g, '_');
if (!KINDS.includes(kind)) throw new Error('type is "' + type + '"; pass ' + KINDS.join(', '));
const order = sort === undefined ? 'relevance' : sort.trim().toLowerCase();
if (!['relevance', 'date'].includes(order)) throw new Error('sort is "' + sort + '"; pass relevance or date');
const most = limit === undefined ? 10 : Math.min(limit, 50);
if (most < 1) throw new Error('limit must be between 1 and 50, is ' + limit);
const asked = new URLSearchParams({ query: query.trim(), tags: kind, hitsPerPage: String(most) });
if (minPoints !== undefined) asked.set('numericFilters', 'points>=' + minPoints);
const r = await fetch('https://hn.algolia.com/api/v1/' + (order === 'date' ? 'search_by_date' : 'search') + '?' + asked, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429) throw new Error('the rate limit of Hacker News search is reached; try again in an hour');
if (!r.ok) throw new Error('Hacker News search answered with status ' + r.status + '; try again later');
const d = r.json();

// Comments and the text of questions come as HTML.
function plain(html) {
  const text = safety.parser.html(html).text();
  return text.length > 500 ? text.slice(0, 500) + '…' : text;
}
return {
  total: d.nbHits,
  count: d.hits.length,
  hits: d.hits.map((h) => {
    const page = 'https://news.ycombinator.com/item?id=' + h.objectID;
    if (kind === 'comment') return { text: plain(h.comment_text || ''), author: h.author, createdAt: h.created_at, story: h.story_title || null, discussion: page };
    const one = { title: h.title || '', url: h.url || page, points: h.points || 0, comments: h.num_comments || 0, author: h.author, createdAt: h.created_at, discussion: page };
    if (h.story_text) one.text = plain(h.story_text);
    return one;
  }),
};
