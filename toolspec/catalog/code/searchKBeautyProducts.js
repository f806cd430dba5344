// Searches the open database Open Beauty Facts for cosmetics, on request only
// those which people have tagged as sold in South Korea.
const most = limit === undefined ? 5 : limit;
if (most < 1 || most > 20) throw new Error('limit must be between 1 and 20, is ' + most);
const inKorea = koreaOnly !== false;

const url = new URL('https://world.openbeautyfacts.org/cgi/search.pl');
url.searchParams.set('search_terms', query);
url.searchParams.set('search_simple', '1');
url.searchParams.set('action', 'process');
url.searchParams.set('json', '1');
url.searchParams.set('page_size', String(most));
url.searchParams.set('fields', 'code,product_name,product_name_ko,brands,quantity,categories,ingredients_text,ingredients_text_en,countries,image_front_small_url');
if (inKorea) {
  url.searchParams.set('tagtype_0', 'countries');
  url.searchParams.set('tag_contains_0', 'contains');
  url.searchParams.set('tag_0', 'south-korea');
}

// The project asks its users to say who they are.
const response = await fetch(url.href, { headers: { Accept: 'application/json', 'User-Agent': 'localpass' } });
if (response.status === 429) throw new Error('Open Beauty Facts takes no more searches for the moment (limit: 10 a minute); try again in a minute');
if (response.status === 503) throw new Error('Open Beauty Facts is overloaded at the moment; try again in a minute');
if (!response.ok) throw new Error('Open Beauty Facts answered with HTTP status ' + response.status + '; try again later');

const cut = (text, n) => (text.length > n ? text.slice(0, n) + '…' : text);
const found = response.json();
const products = (found.products || []).slice(0, most).map((p) => {
  const one = { barcode: p.code, name: p.product_name || p.product_name_ko || '(no name)' };
  const categories = (p.categories || '').split(',').map((c) => c.trim().replace(/^[a-z]{2}:/, '')).filter((c) => c !== '');
  if (p.product_name_ko && p.product_name_ko !== one.name) one.koreanName = p.product_name_ko;
  if (p.brands) one.brand = p.brands.replace(/,(?=\S)/g, ', ');
  if (p.quantity) one.quantity = p.quantity;
  if (categories.length > 0) one.categories = categories.slice(0, 4);
  const ingredients = p.ingredients_text_en || p.ingredients_text;
  if (ingredients) one.ingredients = cut(ingredients.replace(/\s+/g, ' ').trim(), 800);
  if (p.countries) one.countries = p.countries.replace(/\b[a-z]{2}:/g, '').replace(/,(?=\S)/g, ', ');
  if (p.image_front_small_url) one.image = p.image_front_small_url;
  one.url = 'https://world.openbeautyfacts.org/product/' + encodeURIComponent(p.code);
  return one;
});
const result = { query, koreaOnly: inKorea, total: Number(found.count) || products.length, products };
if (products.length === 0) {
  result.hint = inKorea ? 'nothing tagged as sold in South Korea; pass koreaOnly false, or search by brand alone in Latin letters' : 'nothing found; search by brand alone, or in Latin letters';
}
return result;
