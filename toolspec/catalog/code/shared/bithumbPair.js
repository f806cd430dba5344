// The Korean won is quoted before BTC: so "ETH", "ETH/KRW", "krw-eth" and "ETHKRW"
// all mean the pair that Bithumb calls KRW-ETH.
function pairOf(text, param) {
  const joined = /^([A-Z0-9]+)KRW$/.exec(text.toUpperCase());
  const parts = joined ? [joined[1], 'KRW'] : text.toUpperCase().split(/[-\/_ ]+/);
  if (parts.length > 2 || !parts.every((p) => /^[A-Z0-9]{1,20}$/.test(p))) {
    throw new Error(param + ': "' + text + '" is no coin; pass a symbol such as BTC or a pair such as KRW-BTC');
  }
  if (parts.length === 1) parts.push('KRW');
  const quote = ['KRW', 'BTC'].find((q) => parts.includes(q));
  if (quote === undefined || parts[0] === parts[1]) throw new Error(param + ': "' + text + '" is no pair of Bithumb; coins are priced in KRW or BTC, such as KRW-BTC');
  return quote + '-' + (parts[0] === quote ? parts[1] : parts[0]);
}
