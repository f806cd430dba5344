// Asks the Ministry of Land for what apartments in one district were sold for in
// one month.

// include shared/plainKey.js

// include shared/askPortal.js

// The districts of Seoul by their codes. Other places need the code itself.
const seoul = {
  11110: '종로 jongno', 11140: '중구 jung', 11170: '용산 yongsan', 11200: '성동 seongdong', 11215: '광진 gwangjin', 11230: '동대문 dongdaemun', 11260: '중랑 jungnang',
  11290: '성북 seongbuk', 11305: '강북 gangbuk', 11320: '도봉 dobong', 11350: '노원 nowon', 11380: '은평 eunpyeong', 11410: '서대문 seodaemun', 11440: '마포 mapo',
  11470: '양천 yangcheon', 11500: '강서 gangseo', 11530: '구로 guro', 11545: '금천 geumcheon', 11560: '영등포 yeongdeungpo', 11590: '동작 dongjak', 11620: '관악 gwanak',
  11650: '서초 seocho', 11680: '강남 gangnam', 11710: '송파 songpa', 11740: '강동 gangdong',
};
function codeOf(text) {
  const t = text.trim().toLowerCase();
  if (/^\d{5}(\d{5})?$/.test(t)) return t.slice(0, 5);
  const name = t.replace(/^(서울(특별)?시?|seoul)[\s,]*/, '').replace(/[\s,]*(seoul|서울)$/, '').replace(/(-|\s)?gu$/, '').trim();
  const code = Object.keys(seoul).find((c) => seoul[c].split(' ').some((n) => n === name || n + '구' === name));
  if (code === undefined) throw new Error('district must be a district of Seoul such as Gangnam-gu or 강남구, or the first five digits of the legal district code (법정동코드) such as 41135 for Bundang-gu, is "' + text + '"');
  return code;
}

const code = codeOf(district);
let ym;
if (month === undefined) {
  // Sales are reported within 30 days: the last month is the newest with most of its sales. Seoul is nine hours ahead of UTC.
  const now = new Date(Date.now() + 9 * 3600000);
  ym = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7).replace('-', '');
} else {
  ym = String(month).trim().replace(/[-./]/g, '').slice(0, 6);
  if (!/^20\d\d(0[1-9]|1[0-2])$/.test(ym)) throw new Error('month must be a month such as 202610 or 2026-10, is "' + month + '"');
}
const most = limit === undefined ? 20 : limit;
if (most < 1 || most > 100) throw new Error('limit must be between 1 and 100, is ' + most);

const url = new URL('https://apis.data.go.kr/1613000/RTMSDataSvcAptTradeDev/getRTMSDataSvcAptTradeDev');
url.searchParams.set('serviceKey', plain(serviceKey));
url.searchParams.set('LAWD_CD', code);
url.searchParams.set('DEAL_YMD', ym);
url.searchParams.set('pageNo', '1');
url.searchParams.set('numOfRows', '1000'); // no district has more in a month
const text = await ask(url, 'the Ministry of Land', '국토교통부_아파트 매매 실거래가 상세 자료', 'application/xml');

const child = (e, tag) => (e === undefined ? undefined : e.children.find((c) => c.tag === tag));
const items = text === null ? undefined : child(child(safety.parser.xml(text), 'body'), 'items');
const wanted = name === undefined ? '' : name.replace(/\s/g, '').toLowerCase();
const deals = [];
for (const item of items === undefined ? [] : items.children) {
  const v = {};
  for (const c of item.children) v[c.tag] = c.text;
  if (wanted !== '' && !(v.aptNm + ' ' + v.umdNm).replace(/\s/g, '').toLowerCase().includes(wanted)) continue;
  const one = {
    apartment: v.aptNm,
    neighbourhood: v.umdNm,
    date: v.dealYear + '-' + v.dealMonth.padStart(2, '0') + '-' + v.dealDay.padStart(2, '0'),
    priceKrw: Number(v.dealAmount.replace(/[,\s]/g, '')) * 10000, // given in units of 10,000 won
    areaM2: Number(v.excluUseAr),
    floor: Number(v.floor),
    built: Number(v.buildYear),
  };
  if (v.dealingGbn === '직거래') one.withoutAgent = true;
  if (v.cdealType === 'O') one.cancelled = true;
  deals.push(one);
}
deals.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : b.priceKrw - a.priceKrw));

// Sales that fell through say nothing about prices.
const prices = deals.filter((d) => d.cancelled !== true).map((d) => d.priceKrw).sort((a, b) => a - b);
const middle = prices.length >> 1;
const result = { district: code, month: ym.slice(0, 4) + '-' + ym.slice(4), total: deals.length, truncated: deals.length > most };
if (prices.length > 0) {
  result.averageKrw = Math.round(prices.reduce((a, b) => a + b, 0) / prices.length);
  result.medianKrw = prices.length % 2 === 1 ? prices[middle] : (prices[middle - 1] + prices[middle]) / 2;
  result.lowestKrw = prices[0];
  result.highestKrw = prices[prices.length - 1];
}
result.deals = deals.slice(0, most);
return result;
