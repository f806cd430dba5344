// Reads a web page as a person would: its main text in paragraphs, and its links.
const asked = url.trim();
const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(asked) ? asked : 'https://' + asked;
let page;
try {
  page = new URL(full);
} catch (e) {
  throw new Error('url is "' + asked.slice(0, 100) + '", not an address; pass one such as https://example.com/news');
}
if (page.protocol !== 'https:' && page.protocol !== 'http:') throw new Error('url must begin with https:// or http://, begins with ' + page.protocol);
const most = maxCharacters === undefined ? 8000 : maxCharacters;
if (most < 200 || most > 100000) throw new Error('maxCharacters must be from 200 to 100000, is ' + most);
const mostLinks = maxLinks === undefined ? 20 : maxLinks;
if (mostLinks < 0 || mostLinks > 200) throw new Error('maxLinks must be from 0 to 200, is ' + mostLinks);

const response = await fetch(page.href, { headers: { Accept: 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1' } });
const host = page.host;
if (response.status === 404 || response.status === 410) throw new Error(host + ' has no such page (' + response.status + '); check the address');
if (response.status === 401 || response.status === 403) throw new Error(host + ' does not show this page to programs (' + response.status + '); choose another source');
if (response.status === 429) throw new Error(host + ': the limit of requests is reached; try again later');
if (!response.ok) throw new Error(host + ' answered ' + response.status + (response.statusText === '' ? '' : ' ' + response.statusText) + '; try again later');

const kind = (response.contentType || 'text/html').split(';')[0].trim().toLowerCase();
function cut(text) {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '').replace(/\s+\S*$/, '') + ' …';
}
function answer(title, body, links, total) {
  return { url: response.url, title, text: cut(body), truncated: body.length > most, links, linkCount: total };
}
if (!/html/.test(kind)) {
  if (!/^text\/|json|xml|yaml|javascript/.test(kind)) throw new Error('the address leads to ' + kind + ', not to a page with text');
  return answer('', response.text().trim(), [], 0);
}

const doc = safety.parser.html(response.text(), response.url);
const line = (text) => text.replace(/\s+/g, ' ').trim();
function meta(...selectors) {
  for (const s of selectors) {
    const found = doc.selectFirst(s);
    if (found !== null && line(found.attr('content')) !== '') return line(found.attr('content')).slice(0, 500);
  }
  return '';
}
const title = line(doc.title()) || meta("meta[property='og:title']");
const description = meta("meta[name='description']", "meta[property='og:description']");
const published = meta("meta[property='article:published_time']", "meta[name='date']");
const html = doc.selectFirst('html');
const language = html === null ? '' : html.attr('lang');

// collect gives each address once, without what stands behind #, and its text.
function collect(anchors) {
  const found = new Map();
  const here = response.url.replace(/#.*$/, '');
  for (const a of anchors) {
    const to = a.attr('abs:href').replace(/#.*$/, '');
    if (!/^https?:\/\//i.test(to) || to === here) continue;
    const text = (line(a.text()) || line(a.attr('title')) || line(a.attr('aria-label'))).slice(0, 120);
    if (!found.get(to)) found.set(to, text);
  }
  return found;
}

// The main part is what the page says it is, if that holds most of the text.
const everywhere = collect(doc.select('a[href]'));
doc.select("script, style, noscript, template, svg, iframe, object, form, dialog, nav, [hidden], [aria-hidden='true']").remove();
const whole = doc.body();
let root = whole;
for (const s of ['article', 'main', "[role='main']", '#content', '#main']) {
  const found = doc.select(s);
  if (found.size() === 1 && found.first().text().length * 3 > whole.text().length) {
    root = found.first();
    break;
  }
}
if (root === whole) doc.select('body > header, body > footer, aside, footer').remove();
const links = collect(root.select('a[href]'));
for (const [to, text] of everywhere) if (!links.has(to)) links.set(to, text); // those in menus come last

const BLOCKS = new Set('address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr li main ol p pre section summary table tbody td tfoot th thead tr ul'.split(' '));
const parts = [];
let length = 0;
function put(text) {
  if (text === '') return;
  parts.push(text);
  length += text.length + 2;
}
// walk goes down to what holds only text and inline elements. Text between
// blocks comes before them.
function walk(el, depth) {
  if (length > most) return;
  const tag = el.tagName().toLowerCase();
  if (tag === 'pre') {
    put(el.wholeText().replace(/^\n+|\s+$/g, ''));
    return;
  }
  if (tag === 'tr') {
    put([...el.children()].map((c) => line(c.text())).join(' | '));
    return;
  }
  const kids = [...el.children()];
  if (depth > 100 || !kids.some((k) => BLOCKS.has(k.tagName().toLowerCase()))) {
    const text = line(el.text());
    if (text === '') return;
    if (/^h[1-6]$/.test(tag)) put('#'.repeat(Number(tag[1])) + ' ' + text);
    else if (tag === 'li') put('- ' + text);
    else if (tag === 'blockquote') put('> ' + text);
    else put(text);
    return;
  }
  const own = line(el.ownText());
  if (own !== '') put((tag === 'li' ? '- ' : '') + own);
  for (const k of kids) {
    if (BLOCKS.has(k.tagName().toLowerCase())) walk(k, depth + 1);
    else put(line(k.text()));
  }
}
walk(root, 0);
const body = parts.reduce((all, p, i) => all + (i === 0 ? '' : p.startsWith('- ') && parts[i - 1].startsWith('- ') ? '\n' : '\n\n') + p, '');

const result = answer(title, body, [...links].slice(0, mostLinks).map(([to, text]) => ({ text, url: to })), links.size);
if (description !== '') result.description = description;
if (published !== '') result.published = published;
if (language !== '') result.language = language;
return result;
