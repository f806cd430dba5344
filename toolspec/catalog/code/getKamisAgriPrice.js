// Asks KAMIS (Korea Agro-Fisheries & Food Trade Corporation) for the average
// prices of farm products and fish on one day.
const categories = { grain: '100', vegetable: '200', special: '300', fruit: '400', livestock: '500', seafood: '600' };
const categoryAliases = { grains: 'grain', vegetables: 'vegetable', fruits: 'fruit', meat: 'livestock', fish: 'seafood', fishery: 'seafood', mushroom: 'special', mushrooms: 'special', nuts: 'special' };
// Common products: the English words, the Korean name, the category.
const known = {
  rice: '쌀 100', 'sweet potato': '고구마 100', potato: '감자 100', soybean: '콩 100', 'napa cabbage': '배추 200', 'kimchi cabbage': '배추 200', cabbage: '양배추 200', spinach: '시금치 200', lettuce: '상추 200',
  radish: '무 200', carrot: '당근 200', pepper: '풋고추 200', 'dried pepper': '건고추 200', 'red pepper': '붉은고추 200', cucumber: '오이 200', pumpkin: '호박 200', tomato: '토마토 200', strawberry: '딸기 200', watermelon: '수박 200', melon: '참외 200',
  'green onion': '파 200', onion: '양파 200', garlic: '깐마늘 200', ginger: '생강 200', 'bell pepper': '파프리카 200', 'perilla leaf': '깻잎 200', sesame: '참깨 300', peanut: '땅콩 300', 'king oyster mushroom': '새송이버섯 300', apple: '사과 400',
  pear: '배 400', peach: '복숭아 400', grape: '포도 400', tangerine: '감귤 400', mandarin: '감귤 400', persimmon: '단감 400', banana: '바나나 400', kiwi: '참다래 400', pineapple: '파인애플 400', orange: '오렌지 400', lemon: '레몬 400',
  beef: '소 500', pork: '돼지 500', chicken: '닭 500', egg: '계란 500', milk: '우유 500', mackerel: '고등어 600', hairtail: '갈치 600', squid: '물오징어 600', pollock: '명태 600', anchovy: '마른멸치 600', laver: '김 600', seaweed: '마른미역 600', shrimp: '새우 600', oyster: '굴 600',
};
const singular = (w) => (known[w] !== undefined ? w : w.replace(/ies$/, 'y').replace(/(o|ch|sh)es$/, '$1').replace(/s$/, '').replace(/^peache$/, 'peach'));

let name;
let group;
if (item !== undefined) {
  const word = item.trim().toLowerCase();
  if (/[가-힣]/.test(word)) {
    name = word.replace(/\s/g, '');
    const entry = Object.values(known).find((v) => v.split(' ')[0] === name);
    if (entry !== undefined) group = entry.split(' ')[1];
  } else {
    const entry = known[singular(word)];
    if (entry === undefined) throw new Error('item "' + item + '" is not known in English; pass its Korean name with a category, or the category alone');
    [name, group] = entry.split(' ');
  }
}
if (category !== undefined) {
  const c = category.trim().toLowerCase();
  group = categories[categoryAliases[c] || c] || Object.values(categories).find((v) => v === c);
  if (group === undefined) throw new Error('category must be ' + Object.keys(categories).join(', ') + ', is "' + category + '"');
}
if (group === undefined) throw new Error(item === undefined ? 'pass item, such as napa cabbage or 배추, or category, such as vegetable' : 'pass the category of "' + item + '" too: ' + Object.keys(categories).join(', '));
const where = market === undefined ? 'retail' : market.trim().toLowerCase();
if (where !== 'retail' && where !== 'wholesale') throw new Error('market must be retail or wholesale, is "' + market + '"');
const most = limit === undefined ? 20 : limit;
if (most < 1 || most > 100) throw new Error('limit must be between 1 and 100, is ' + most);

// Without a date: the newest of the last days with prices. Markets are closed at
// weekends, and prices come in the afternoon. Seoul is nine hours ahead of UTC.
const dates = [];
if (date === undefined) {
  for (let back = 0; back < 6; back++) dates.push(new Date(Date.now() + 9 * 3600000 - back * 86400000).toISOString().slice(0, 10));
} else {
  const m = /^(20\d\d)[-./]?(0[1-9]|1[0-2])[-./]?(0[1-9]|[12]\d|3[01])$/.exec(String(date).trim());
  if (m === null) throw new Error('date must be a day such as 2026-11-20, is "' + date + '"');
  dates.push(m[1] + '-' + m[2] + '-' + m[3]);
}

async function ask(day) {
  const url = new URL('https://www.kamis.or.kr/service/price/xml.do');
  url.searchParams.set('action', 'dailyPriceByCategoryList');
  url.searchParams.set('p_cert_key', certKey);
  url.searchParams.set('p_cert_id', certId);
  url.searchParams.set('p_returntype', 'json');
  url.searchParams.set('p_product_cls_code', where === 'retail' ? '01' : '02');
  url.searchParams.set('p_item_category_code', group);
  url.searchParams.set('p_regday', day);
  url.searchParams.set('p_convert_kg_yn', 'N');
  const response = await fetch(url.href, { headers: { Accept: 'application/json', 'User-Agent': 'localpass' } });
  if (!response.ok) throw new Error('KAMIS answered with HTTP status ' + response.status + '; try again later');
  let answer;
  try { answer = response.json(); } catch (e) { throw new Error('KAMIS answered something that is no JSON; try again later'); }
  // Without prices data is a list with a code alone: 001 no data, 200 wrong parameters, 900 key refused.
  const data = answer.data === undefined ? answer : answer.data;
  const code = Array.isArray(data) ? String(data[0]) : String(data.error_code || '000');
  if (code === '900') throw new Error('KAMIS refuses the key (code 900); check KAMIS_CERT_KEY and KAMIS_CERT_ID, which www.kamis.or.kr gives out together');
  if (code === '001') return [];
  if (code !== '000') throw new Error('KAMIS refused the request (code ' + code + '); check category, market and date');
  return Array.isArray(data.item) ? data.item : data.item ? [data.item] : [];
}

const price = (text) => (typeof text === 'string' && /^[\d,.]+$/.test(text.trim()) ? Number(text.replace(/,/g, '')) : null);
let rows = [];
let day;
for (day of dates) {
  rows = (await ask(day)).filter((r) => typeof r.item_name === 'string');
  if (rows.some((r) => price(r.dpr1) !== null)) break;
  if (dates.length > 1) rows = [];
}
const grades = { 상품: 'high', 중품: 'medium', 하품: 'low' };
const found = rows.filter((r) => name === undefined || r.item_name.replace(/\s/g, '').includes(name) || (r.kind_name || '').replace(/\s/g, '').includes(name));
// The product itself rather than those whose names hold its name: 배, not 배추.
const exact = found.filter((r) => r.item_name === name);
const shown = exact.length > 0 ? exact : found;
const result = {
  date: day,
  market: where,
  currency: 'KRW',
  total: shown.length,
  truncated: shown.length > most,
  prices: shown.slice(0, most).map((r) => ({
    item: r.item_name,
    variety: r.kind_name,
    grade: grades[r.rank] || r.rank,
    unit: r.unit,
    price: price(r.dpr1),
    dayBefore: price(r.dpr2),
    weekBefore: price(r.dpr3),
    monthBefore: price(r.dpr5),
    yearBefore: price(r.dpr6),
    usual: price(r.dpr7),
  })),
};
if (rows.length === 0) result.hint = 'no prices ' + (dates.length > 1 ? 'in the last days' : 'for this day') + '; markets are closed at weekends and on holidays';
else if (shown.length === 0) result.hint = 'this category has: ' + [...new Set(rows.map((r) => r.item_name))].slice(0, 30).join(', ');
return result;
