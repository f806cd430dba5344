// Searches questions on Stack Overflow and reads the accepted answers of the
// first of them.
const PLACE = 'https://api.stackexchange.com/2.3/';
const HEADERS = { 'User-Agent': 'localpass', 'Accept': 'application/json' };
const SORTS = { __proto__: null, relevance: 'relevance', votes: 'votes', newest: 'creation' };
const order = SORTS[sort === undefined ? 'relevance' : sort.trim().toLowerCase()];
if (order === undefined) throw new Error('sort is "' + sort + '"; pass relevance, votes or newest');
const most = limit === undefined ? 5 : Math.min(limit, 20);
if (most < 1) throw new Error('limit must be between 1 and 20, is ' + limit);
const tagged = tags === undefined ? [] : tags.split(/[,;\s]+/).map((t) => t.toLowerCase()).filter((t) => t !== '');
const odd = tagged.find((t) => !/^[a-z0-9.#+-]{1,35}$/.test(t));
if (odd !== undefined) throw new Error('tags has "' + odd + '"; pass tags of Stack Overflow, such as python,pandas');

// Failures come with a status of 400 and a number of their own; 502 is throttling.
async function get(path, members) {
  const r = await fetch(PLACE + path + '?' + new URLSearchParams({ ...members, site: 'stackoverflow' }), { headers: HEADERS });
  if (r.ok) return r.json();
  let said = {};
  try { said = r.json(); } catch (e) { /* the body is not JSON */ }
  if (r.status === 429 || said.error_id === 502) {
    const wait = /in (\d+ seconds)/.exec(said.error_message || '');
    throw new Error('the rate limit of Stack Overflow is reached for this address; try again ' + (wait ? 'in ' + wait[1] : 'later'));
  }
  throw new Error('Stack Overflow answered with status ' + r.status + (said.error_message ? ': ' + String(said.error_message).slice(0, 200) : ''));
}

const asked = { order: 'desc', sort: order, q: query.trim(), pagesize: String(most) };
if (tagged.length > 0) asked.tagged = tagged.join(';');
if (answeredOnly === true) asked.accepted = 'True';
const found = await get('search/advanced', asked);

// Titles and bodies are HTML; code keeps its lines.
const plain = (html) => safety.parser.html(html).body().wholeText().replace(/\n{3,}/g, '\n\n').trim();
const answers = new Map();
const ids = found.items.map((q) => q.accepted_answer_id).filter((id) => id !== undefined).slice(0, 3);
if (ids.length > 0) {
  const read = await get('answers/' + ids.join(';'), { order: 'desc', sort: 'votes', filter: 'withbody' });
  for (const a of read.items) {
    const text = plain(a.body);
    answers.set(a.answer_id, { text: text.length > 1500 ? text.slice(0, 1500) + '…' : text, score: a.score, url: 'https://stackoverflow.com/a/' + a.answer_id });
  }
}
return {
  count: found.items.length,
  hasMore: found.has_more === true,
  questions: found.items.map((q) => {
    const one = {
      title: plain(q.title),
      score: q.score,
      answers: q.answer_count,
      answered: q.is_answered,
      tags: q.tags,
      views: q.view_count,
      createdAt: new Date(q.creation_date * 1000).toISOString(),
      url: q.link,
    };
    if (answers.has(q.accepted_answer_id)) one.acceptedAnswer = answers.get(q.accepted_answer_id);
    return one;
  }),
};
