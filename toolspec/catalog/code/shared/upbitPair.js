// The Korean won is quoted before USDT, and that before BTC: so "BTC", "BTC/KRW",
// "krw-btc" and "BTCKRW" all mean the pair that Upbit calls KRW-BTC.
function pairOf(text, param) {
  const quotes = ['KRW', 'USDT', 'BTC'];
  const joined = /^([A-Z0-9]+)(KRW|USDT)$/.exec(text.toUpperCase());
  const parts = joined ? [joined[1], joined[2]] : text.toUpperCase().split(/[-\/_ ]+/);
  if (parts.length > 2 || !parts.every((p) => /^[A-Z0-9]{1,20}$/.test(p))) {
    throw new Error(param + ': "' + text + '" is no coin; pass a symbol such as BTC or a pair such as KRW-BTC (listUpbitMarkets finds the symbol of a name)');
  }
  if (parts.length === 1) parts.push('KRW');
  const quote = quotes.find((q) => parts.includes(q));
  if (quote === undefined || parts[0] === parts[1]) {
    throw new Error(param + ': "' + text + '" is no pair of Upbit; coins are priced in KRW, USDT or BTC, such as KRW-BTC');
  }
  return quote + '-' + (parts[0] === quote ? parts[1] : parts[0]);
}
