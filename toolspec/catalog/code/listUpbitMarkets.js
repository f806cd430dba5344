// Lists the pairs that Upbit trades, with the names of the coins and the warnings
// that the exchange gives about them.
const most = limit === undefined ? 50 : limit;
if (most < 1 || most > 500) throw new Error('limit must be between 1 and 500, is ' + most);
const currency = quote === undefined ? undefined : quote.trim().toUpperCase();
if (currency !== undefined && !['KRW', 'BTC', 'USDT'].includes(currency)) throw new Error('quote must be KRW, BTC or USDT, is "' + quote + '"');

const response = await fetch('https://api.upbit.com/v1/market/all?is_details=true', { headers: { Accept: 'application/json' } });
if (response.status === 429 || response.status === 418) throw new Error('Upbit takes no more requests for the moment (limit: 10 a second); try again in a few seconds');
if (!response.ok) throw new Error('Upbit answered with HTTP status ' + response.status + '; try again later');

const flat = (text) => String(text || '').toLowerCase().replace(/\s+/g, '');
const wanted = flat(search);
const rank = { KRW: 0, USDT: 1, BTC: 2 };
const all = [];
for (const m of response.json()) {
  const [priced, coin] = m.market.split('-');
  if (currency !== undefined && priced !== currency) continue;
  const events = m.market_event || {};
  const cautions = Object.keys(events.caution || {}).filter((name) => events.caution[name] === true);
  if (warned === true && events.warning !== true && cautions.length === 0) continue;
  const names = [m.market, m.korean_name, m.english_name].map(flat);
  if (wanted !== '' && !names.some((n) => n.includes(wanted))) continue;
  const one = { market: m.market, coin, currency: priced, koreanName: m.korean_name, englishName: m.english_name };
  if (events.warning === true) one.warning = true;
  if (cautions.length > 0) one.cautions = cautions;
  // What is called exactly so stands first, then what is priced in won.
  const exact = wanted !== '' && (flat(coin) === wanted || names.includes(wanted));
  all.push({ one, order: (exact ? 0 : 10) + (rank[priced] === undefined ? 3 : rank[priced]) });
}
all.sort((a, b) => a.order - b.order); // the sort is stable: otherwise as Upbit has them
return { total: all.length, truncated: all.length > most, markets: all.slice(0, most).map((x) => x.one) };
