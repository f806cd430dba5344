// Searches the tourism guide of the Korea Tourism Organization by words of a name.

// include shared/plainKey.js

// include shared/askPortal.js

// The same kinds have other numbers in the Korean and in the foreign guides.
const kinds = {
  attraction: { ko: '12', en: '76' }, culture: { ko: '14', en: '78' }, festival: { ko: '15', en: '85' }, course: { ko: '25' }, leisure: { ko: '28', en: '75' },
  lodging: { ko: '32', en: '80' }, shopping: { ko: '38', en: '79' }, food: { ko: '39', en: '82' }, transport: { en: '77' },
};
const hangul = /[가-힣]/.test(keyword);
const spoken = language === undefined ? (hangul ? 'ko' : 'en') : language.trim().toLowerCase().replace(/^korean$|^kr$/, 'ko').replace(/^english$/, 'en');
if (spoken !== 'ko' && spoken !== 'en') throw new Error('language must be ko or en, is "' + language + '"');
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 50) throw new Error('limit must be between 1 and 50, is ' + most);

const url = new URL('https://apis.data.go.kr/B551011/' + (spoken === 'ko' ? 'KorService2' : 'EngService2') + '/searchKeyword2');
url.searchParams.set('serviceKey', plain(serviceKey));
url.searchParams.set('numOfRows', String(most));
url.searchParams.set('pageNo', '1');
url.searchParams.set('MobileOS', 'ETC');
url.searchParams.set('MobileApp', 'localpass');
url.searchParams.set('_type', 'json');
url.searchParams.set('arrange', 'A');
url.searchParams.set('keyword', keyword);
if (type !== undefined) {
  const kind = kinds[type.trim().toLowerCase()];
  const open = Object.keys(kinds).filter((k) => kinds[k][spoken] !== undefined);
  if (kind === undefined || kind[spoken] === undefined) throw new Error('type must be one of ' + open.join(', ') + ', is "' + type + '"');
  url.searchParams.set('contentTypeId', kind[spoken]);
}
const text = await ask(url, 'the Korea Tourism Organization', '한국관광공사_국문 관광정보 서비스_GW (and _영문 for English)');
const body = text === null ? {} : JSON.parse(text).response.body;
// Without a match items is an empty text.
const item = body.items && body.items.item ? body.items.item : [];
const places = (Array.isArray(item) ? item : [item]).map((i) => {
  const one = {
    id: i.contentid,
    title: i.title,
    type: Object.keys(kinds).find((k) => kinds[k][spoken] === String(i.contenttypeid)) || 'other',
    address: [i.addr1, i.addr2].filter((a) => a).join(' '),
    phone: i.tel,
    latitude: Number(i.mapy) || undefined,
    longitude: Number(i.mapx) || undefined,
    image: i.firstimage,
  };
  for (const name of Object.keys(one)) if (one[name] === undefined || one[name] === '') delete one[name];
  return one;
});
const total = Number(body.totalCount) || 0;
const result = { keyword, language: spoken, total, truncated: total > places.length, places };
if (places.length === 0) result.hint = 'only names are searched: use one short word, such as Gyeongbokgung or 경주' + (spoken === 'en' ? ', or the Korean word, since that guide is larger' : '');
return result;
