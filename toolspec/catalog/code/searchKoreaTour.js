// Searches the tourism guide of the Korea Tourism Organization by words of a name.

// The portal hands its key out URL-encoded and plain. The URL is encoded below, so
// the key must be plain.
function plain(key) {
  try { return key.includes('%') ? decodeURIComponent(key) : key; } catch (e) { return key; }
}

// Asks the data portal and gives the text of the answer, or null when there is no
// data. Errors come as XML or as JSON whatever was asked for, and with any status.
async function ask(url) {
  // Some services refuse a request without a User-Agent.
  const response = await fetch(url.href, { headers: { Accept: 'application/json', 'User-Agent': 'localpass' } });
  const text = response.text();
  const member = (name) => {
    const m = new RegExp('<' + name + '>([^<]*)<|"' + name + '"\\s*:\\s*"?([^",}]*)').exec(text);
    return m ? (m[1] || m[2] || '').trim() : '';
  };
  const code = member('returnReasonCode') || member('resultCode');
  const why = [...new Set([member('errMsg'), member('returnAuthMsg') || member('resultMsg')])].filter((w) => w !== '').join(', ');
  const number = /^\d+$/.test(code) ? Number(code) : NaN;
  const shown = [why, code === '' ? 'HTTP status ' + response.status : 'code ' + code].filter((w) => w !== '').join(', ');
  if (number === 22 || response.status === 429) throw new Error('the daily limit of requests for this service is reached (' + shown + '); try again tomorrow');
  if ([20, 30, 31, 32].includes(number) || response.status === 401 || response.status === 403) {
    throw new Error('the data portal refuses the key (' + shown + '); check DATA_GO_KR_SERVICE_KEY, and that its account has applied for 한국관광공사_국문 관광정보 서비스_GW (and _영문 for English) at www.data.go.kr');
  }
  if (response.ok && (number === 3 || /NO_?DATA/i.test(why))) return null;
  if (!response.ok || number !== 0) throw new Error('the Korea Tourism Organization answered: ' + shown + '; check the arguments, or try again later');
  return text;
}

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
const text = await ask(url);
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
