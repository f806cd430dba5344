// Searches Naver. Each kind of search has a path, and its own ways to sort.
const kinds = {
  web: { path: 'webkr' },
  news: { path: 'news', sorts: { relevance: 'sim', date: 'date' } },
  blog: { path: 'blog', sorts: { relevance: 'sim', date: 'date' } },
  cafe: { path: 'cafearticle', sorts: { relevance: 'sim', date: 'date' } },
  qna: { path: 'kin', sorts: { relevance: 'sim', date: 'date' } },
  shop: { path: 'shop', sorts: { relevance: 'sim', date: 'date', cheapest: 'asc', dearest: 'dsc' } },
  local: { path: 'local', most: 5 },
  book: { path: 'book', sorts: { relevance: 'sim', date: 'date' } },
  encyclopedia: { path: 'encyc' },
  image: { path: 'image', sorts: { relevance: 'sim', date: 'date' } },
};
const aliases = { webkr: 'web', cafearticle: 'cafe', kin: 'qna', shopping: 'shop', place: 'local', places: 'local', books: 'book', encyc: 'encyclopedia', images: 'image', blogs: 'blog' };
const asked = type === undefined ? 'web' : type.trim().toLowerCase();
const name = aliases[asked] || asked;
if (!Object.hasOwn(kinds, name)) throw new Error('type must be ' + Object.keys(kinds).join(', ') + ', is "' + type + '"');
const kind = kinds[name];

const most = limit === undefined ? 5 : limit;
if (most < 1 || most > 30) throw new Error('limit must be between 1 and 30, is ' + most);
const url = new URL('https://openapi.naver.com/v1/search/' + kind.path + '.json');
url.searchParams.set('query', query);
url.searchParams.set('display', String(Math.min(most, kind.most || most)));
if (sort !== undefined && sort.trim().toLowerCase() !== 'relevance') {
  const order = (kind.sorts || {})[sort.trim().toLowerCase()];
  if (order === undefined) throw new Error('sort for ' + name + ' must be ' + Object.keys(kind.sorts || { relevance: 0 }).join(', ') + ', is "' + sort + '"');
  url.searchParams.set('sort', order);
}

const response = await fetch(url.href, { headers: { Accept: 'application/json', 'X-Naver-Client-Id': clientId, 'X-Naver-Client-Secret': clientSecret } });
if (!response.ok) {
  let fault = {};
  try { fault = response.json(); } catch (e) { /* an error page */ }
  const why = fault.errorMessage ? ' (' + fault.errorCode + ': ' + fault.errorMessage + ')' : '';
  if (response.status === 401 || response.status === 403) {
    throw new Error('Naver refuses the key' + why + '; check NAVER_CLIENT_ID and NAVER_CLIENT_SECRET, and that the application has the search API (검색) at developers.naver.com');
  }
  if (response.status === 429) throw new Error('the limit of Naver is reached' + why + ': too many searches at once, or 25,000 today; try again later');
  throw new Error('Naver answered with HTTP status ' + response.status + why + (response.status === 400 ? '; change the query' : '; try again later'));
}

// Titles and texts come with <b> around what was found, and with entities.
function plain(text) {
  return text.replace(/<\/?[a-z][^>]*>/gi, '').replace(/&quot;/g, '"').replace(/&#0?39;|&apos;/g, "'").replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&nbsp;/g, ' ').replace(/&amp;/g, '&').replace(/\s+/g, ' ').trim();
}
// 20261120, or the form of e-mail in Seoul's time.
function day(text) {
  if (/^\d{8}$/.test(text)) return text.slice(0, 4) + '-' + text.slice(4, 6) + '-' + text.slice(6);
  const t = Date.parse(text);
  return Number.isNaN(t) ? undefined : new Date(t + 9 * 3600000).toISOString().slice(0, 16) + '+09:00';
}
const number = (text) => (text === undefined || text === '' ? undefined : Number(text));
// Places carry degrees times ten million.
const degrees = (text) => (/^\d{8,}$/.test(text || '') ? Number(text) / 1e7 : undefined);

const found = response.json();
const items = found.items.slice(0, most).map((i) => {
  const one = {
    title: plain(i.title || ''),
    description: i.description ? plain(i.description) : undefined,
    url: i.originallink || i.link,
    published: day(i.pubDate || i.postdate || i.pubdate || ''),
    source: i.bloggername || i.cafename || i.mallName || i.publisher,
    author: i.author ? i.author.replace(/\^/g, ', ') : undefined,
    isbn: i.isbn,
    price: number(i.lprice || i.discount),
    currency: number(i.lprice || i.discount) === undefined ? undefined : 'KRW',
    brand: i.brand || i.maker,
    category: i.category || [i.category1, i.category2, i.category3, i.category4].filter((c) => c).join(' > '),
    address: i.roadAddress || i.address,
    phone: i.telephone,
    latitude: degrees(i.mapy),
    longitude: degrees(i.mapx),
    image: i.image || i.thumbnail,
  };
  for (const key of Object.keys(one)) if (one[key] === undefined || one[key] === '') delete one[key];
  return one;
});
return { query, type: name, total: found.total, items };
