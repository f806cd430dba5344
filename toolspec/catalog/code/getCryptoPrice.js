// Prices of crypto-currencies from CoinGecko, which knows them by its own ids.
const IDS = {
  __proto__: null,
  btc: 'bitcoin', xbt: 'bitcoin', eth: 'ethereum', usdt: 'tether', bnb: 'binancecoin', sol: 'solana', usdc: 'usd-coin', xrp: 'ripple',
  doge: 'dogecoin', ada: 'cardano', trx: 'tron', avax: 'avalanche-2', avalanche: 'avalanche-2', link: 'chainlink', dot: 'polkadot',
  bch: 'bitcoin-cash', ltc: 'litecoin', xlm: 'stellar', xmr: 'monero', etc: 'ethereum-classic', uni: 'uniswap', atom: 'cosmos',
  shib: 'shiba-inu', ton: 'the-open-network', near: 'near', algo: 'algorand', pol: 'polygon-ecosystem-token', matic: 'polygon-ecosystem-token',
};
const PLACE = 'https://api.coingecko.com/api/v3/';
const unit = currency === undefined ? 'usd' : currency.trim().toLowerCase();
if (!/^[a-z]{2,5}$/.test(unit)) throw new Error('currency is "' + currency + '"; pass a code such as usd, eur or krw');
const names = [...new Set(coins.split(/[,;]/).map((c) => c.trim().toLowerCase()).filter((c) => c !== ''))];
if (names.length === 0 || names.length > 20) throw new Error('coins must name 1 to 20 coins, such as bitcoin,ethereum');

async function get(path, members) {
  const r = await fetch(PLACE + path + '?' + new URLSearchParams(members), { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
  if (r.ok) return r.json();
  if (r.status === 429) {
    const wait = r.headers.get('retry-after') || '';
    throw new Error('the rate limit of CoinGecko is reached; try again in ' + (/^\d+$/.test(wait) ? wait + ' seconds' : 'a minute'));
  }
  let said = '';
  try { said = String(r.json().error || ''); } catch (e) { /* the body is not JSON */ }
  if (/vs_currency/.test(said)) throw new Error('CoinGecko has no prices in "' + unit + '"; pass a code such as usd, eur or krw');
  throw new Error('CoinGecko answered with status ' + r.status + '; try again later');
}
const market = (ids) => get('coins/markets', { vs_currency: unit, ids: ids.join(','), price_change_percentage: '24h,7d' });

const wanted = new Map(names.map((n) => [n, IDS[n] || n.replace(/\s+/g, '-')]));
const found = new Map((await market([...new Set(wanted.values())])).map((m) => [m.id, m]));

// What is not an id may be another name or a symbol: of those that fit, the
// coin with the largest market is meant.
const unknown = names.filter((n) => !found.has(wanted.get(n)));
const late = new Set();
for (const name of unknown.slice(0, 4)) {
  const hits = (await get('search', { query: name })).coins;
  const same = hits.filter((c) => c.symbol.toLowerCase() === name || c.name.toLowerCase() === name);
  const best = same.sort((x, y) => (x.market_cap_rank || 1e9) - (y.market_cap_rank || 1e9))[0];
  if (best === undefined) continue;
  wanted.set(name, best.id);
  late.add(best.id);
}
if (late.size > 0) for (const m of await market([...late])) found.set(m.id, m);

const missing = names.filter((n) => !found.has(wanted.get(n)));
if (missing.length === names.length) throw new Error('CoinGecko knows no coin called ' + missing.join(', ') + '; pass names or symbols such as bitcoin or eth');
const round = (x) => (typeof x === 'number' ? Math.round(x * 100) / 100 : null);
const list = [...new Set(names.map((n) => found.get(wanted.get(n))).filter((m) => m !== undefined))];
return {
  currency: unit,
  prices: list.map((m) => ({
    id: m.id,
    name: m.name,
    symbol: m.symbol.toUpperCase(),
    price: m.current_price,
    change24hPercent: round(m.price_change_percentage_24h),
    change7dPercent: round(m.price_change_percentage_7d_in_currency),
    high24h: m.high_24h,
    low24h: m.low_24h,
    marketCap: m.market_cap,
    marketCapRank: m.market_cap_rank,
    volume24h: m.total_volume,
    updatedAt: m.last_updated,
  })),
  notFound: missing,
};
