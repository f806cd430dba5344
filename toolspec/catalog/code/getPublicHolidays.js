// Public holidays of a country, from date.nager.at.
const PLACE = 'https://date.nager.at/api/v3/';
const WEEK = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT = { __proto__: null, uk: 'GB', 'great britain': 'GB', england: 'GB', usa: 'US', america: 'US', korea: 'KR' };
if (year !== undefined && (year < 1975 || year > 2100)) throw new Error('year must be between 1975 and 2100, is ' + year);

async function get(path) {
  const r = await fetch(PLACE + path, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
  if (r.status === 204 || r.status === 404) return null;
  if (r.status === 429) throw new Error('the rate limit of date.nager.at is reached; try again in a minute');
  if (!r.ok) throw new Error('date.nager.at answered with status ' + r.status + '; check the country and the year');
  return r.json();
}

// A code of two letters, or the name of a country, which is looked up.
const text = country.trim().toLowerCase();
let code = SHORT[text] || (/^[a-z]{2}$/.test(text) ? text.toUpperCase() : '');
if (code === '') {
  const countries = await get('AvailableCountries') || [];
  const same = countries.filter((c) => c.name.toLowerCase() === text);
  const part = same.length > 0 ? same : countries.filter((c) => c.name.toLowerCase().includes(text));
  if (part.length !== 1) {
    throw new Error('country is "' + country + '"; pass a code of two letters such as DE, US or KR' + (part.length > 1 ? ' (several fit: ' + part.slice(0, 5).map((c) => c.name).join(', ') + ')' : ''));
  }
  code = part[0].countryCode;
}
const days = await get(year === undefined ? 'NextPublicHolidays/' + code : 'PublicHolidays/' + year + '/' + code);
if (days === null) throw new Error('date.nager.at knows no holidays of "' + country + '" (' + code + '); pass a code of two letters such as DE, US or KR');

// A region has its own holidays and those of the whole country.
const part = region === undefined ? '' : region.trim().toUpperCase();
const full = part === '' || part.startsWith(code + '-') ? part : code + '-' + part;
const list = days.filter((h) => full === '' || h.global || (h.counties || []).includes(full));
return {
  countryCode: code,
  period: year === undefined ? 'the next 365 days' : String(year),
  count: list.length,
  holidays: list.map((h) => {
    const one = { date: h.date, weekday: WEEK[new Date(h.date + 'T00:00:00Z').getUTCDay()], name: h.name, localName: h.localName, nationwide: h.global };
    if (!h.global) one.regions = h.counties || [];
    if (!h.types.includes('Public')) one.types = h.types; // bank, school, authorities, optional, observance
    return one;
  }),
};
