// Asks the Financial Services Commission for end-of-day prices of one share at the
// Korea Exchange (KOSPI, KOSDAQ, KONEX).

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
    throw new Error('the data portal refuses the key (' + shown + '); check DATA_GO_KR_SERVICE_KEY, and that its account has applied for 금융위원회_주식시세정보 at www.data.go.kr');
  }
  if (response.ok && (number === 3 || /NO_?DATA/i.test(why))) return null;
  if (!response.ok || number !== 0) throw new Error('the Financial Services Commission answered: ' + shown + '; check the arguments, or try again later');
  return text;
}

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
  const text = await ask(url);
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
