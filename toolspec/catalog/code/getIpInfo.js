// Place and provider of an address on the internet, from ipapi.co.
const given = ip.trim().replace(/^\[(.*)\]$/, '$1');
let address = '';
if (/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(given)) {
  try {
    address = new URL('http://[' + given + ']/').hostname.slice(1, -1); // checks and shortens it
  } catch (e) { /* no address: told below */ }
} else if (/^(\d{1,3}\.){3}\d{1,3}$/.test(given) && given.split('.').every((n) => Number(n) <= 255)) {
  address = given.split('.').map(Number).join('.');
}
if (address === '') throw new Error('ip is "' + ip + '"; pass an address such as 8.8.8.8 or 2001:4860:4860::8888, not a host name');

const r = await fetch('https://ipapi.co/' + address + '/json/', { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
let d = {};
try { d = r.json(); } catch (e) { /* the body is not JSON */ }
if (r.status === 429 || d.reason === 'RateLimited') throw new Error('the rate limit of ipapi.co is reached for this address; try again later or tomorrow');
if (d.reserved === true) throw new Error(address + ' is reserved for private or special use, so it has no place on the internet; pass a public address');
if (d.error === true) throw new Error('ipapi.co knows nothing of ' + address + (d.reason ? ': ' + String(d.reason).slice(0, 200) : ''));
if (!r.ok) throw new Error('ipapi.co answered with status ' + r.status + '; try again later');
return {
  ip: d.ip,
  version: d.version || null,
  city: d.city || null,
  region: d.region || null,
  country: d.country_name || null,
  countryCode: d.country_code || null,
  continent: d.continent_code || null,
  postal: d.postal || null,
  latitude: typeof d.latitude === 'number' ? d.latitude : null,
  longitude: typeof d.longitude === 'number' ? d.longitude : null,
  timeZone: d.timezone || null,
  utcOffset: d.utc_offset || null,
  currency: d.currency || null,
  inEu: d.in_eu === true,
  asn: d.asn || null,
  organization: d.org || null,
};
