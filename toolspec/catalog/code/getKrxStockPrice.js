// Asks the Financial Services Commission for end-of-day prices of one share at the
// Korea Exchange (KOSPI, KOSDAQ, KONEX).

// include shared/plainKey.js

// include shared/askPortal.js

const asked = stock.trim();
const isCode = /^A?[0-9][0-9A-Z]{5}$/i.test(asked);
const code = isCode ? asked.toUpperCase().slice(-6) : undefined;
const most = days === undefined ? 1 : days;
if (most < 1 || most > 60) throw new Error('days must be between 1 and 60, is ' + most);
let day;
if (date !== undefined) {
  day = String(date).trim().replace(/[-./]/g, '');
  if (!/^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(day)) throw new Error('date must be a day such as 20261120 or 2026-11-20, is "' + date + '"');
}
// The service takes days before endBasDt, so the day after the one asked for.
const after = day === undefined ? undefined : new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)) + 1)).toISOString().slice(0, 10).replace(/-/g, '');

async function rowsFor(field, value, rows) {
  const url = new URL('https://apis.data.go.kr/1160100/service/GetStockSecuritiesInfoService/getStockPriceInfo');
  url.searchParams.set('serviceKey', plain(serviceKey));
  url.searchParams.set('numOfRows', String(rows));
  url.searchParams.set('pageNo', '1');
  url.searchParams.set('resultType', 'json');
  url.searchParams.set(field, value);
  if (after !== undefined) url.searchParams.set('endBasDt', after);
  const text = await ask(url, 'the Financial Services Commission', '금융위원회_주식시세정보');
  const items = text === null ? undefined : JSON.parse(text).response.body.items;
  const list = items && items.item ? items.item : [];
  return Array.isArray(list) ? list : [list];
}

let rows = isCode ? (await rowsFor('likeSrtnCd', code, most)).filter((r) => r.srtnCd.slice(-6) === code) : await rowsFor('itmsNm', asked, most);
if (rows.length === 0) {
  const near = isCode ? [] : [...new Set((await rowsFor('likeItmsNm', asked, 30)).map((r) => r.itmsNm + ' (' + r.srtnCd + ')'))];
  throw new Error('the Korea Exchange has no share "' + stock + '"' + (day === undefined ? '' : ' on or before ' + day) + '; ' +
    (near.length > 0 ? 'did you mean ' + near.slice(0, 8).join(', ') + '?' : 'pass the six-digit code such as 005930, or the exact Korean name such as 삼성전자'));
}

const iso = (d) => d.slice(0, 4) + '-' + d.slice(4, 6) + '-' + d.slice(6);
rows = rows.slice().sort((a, b) => (a.basDt < b.basDt ? 1 : -1)).slice(0, most);
return {
  name: rows[0].itmsNm,
  code: rows[0].srtnCd,
  isin: rows[0].isinCd,
  market: rows[0].mrktCtg,
  currency: 'KRW',
  prices: rows.map((r) => ({
    date: iso(r.basDt),
    close: Number(r.clpr),
    change: Number(r.vs),
    changePercent: Number(r.fltRt),
    open: Number(r.mkp),
    high: Number(r.hipr),
    low: Number(r.lopr),
    volume: Number(r.trqu),
    tradedValue: Number(r.trPrc),
    marketCap: Number(r.mrktTotAmt),
  })),
};
