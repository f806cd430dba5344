// Facts about a country from an open list of all countries, one file at a
// fixed version on a public mirror of packages.
const r = await fetch('https://cdn.jsdelivr.net/npm/world-countries@5.1.0/dist/countries.json', { headers: { 'Accept': 'application/json' } });
if (!r.ok) throw new Error('the list of countries could not be had (status ' + r.status + '); try again later');
const list = r.json();

// Without accents, points and the difference of upper and lower case.
const plain = (s) => s.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase().replace(/[.'’]/g, '').replace(/[-\s]+/g, ' ').trim();
const OLD = { __proto__: null, turkey: 'tr' }; // a former name that the list leaves out
const given = plain(country).replace(/^the /, '');
const asked = OLD[given] || given;
if (asked === '') throw new Error('country is empty; pass a name or a code, such as Switzerland or CH');

// Better kinds of match first: codes, names in English, other spellings and languages.
const kinds = [
  (c) => [c.cca2, c.cca3, c.ccn3],
  (c) => [c.name.common, c.name.official],
  (c) => c.altSpellings,
  (c) => Object.values(c.name.native).concat(Object.values(c.translations)).flatMap((n) => [n.common, n.official]),
  (c) => [c.cioc],
];
let found = [];
for (const names of kinds) {
  found = list.filter((c) => names(c).some((n) => plain(n) === asked));
  if (found.length > 0) break;
}
if (found.length === 0) { // whole words of an English name
  found = list.filter((c) => [c.name.common, c.name.official].some((n) => (' ' + plain(n) + ' ').includes(' ' + asked + ' ')));
}
if (found.length === 0) throw new Error('no country is called "' + country + '"; pass its name or its code of two or three letters, such as Switzerland or CH');
if (found.length > 1) throw new Error('"' + country + '" can be ' + found.slice(0, 8).map((c) => c.name.common + ' (' + c.cca2 + ')').join(', ') + '; pass one of these');

const c = found[0];
const english = new Map(list.map((x) => [x.cca3, x.name.common]));
// Some countries share a root and list each area code: then the root is enough.
const codes = c.idd.root === '' ? [] : c.idd.suffixes.length > 3 ? [c.idd.root] : c.idd.suffixes.map((s) => c.idd.root + s);
return {
  name: c.name.common,
  officialName: c.name.official,
  nativeNames: [...new Set(Object.values(c.name.native).map((n) => n.common))],
  iso2: c.cca2,
  iso3: c.cca3,
  numericCode: c.ccn3,
  capital: c.capital,
  region: c.region,
  subregion: c.subregion || null,
  languages: Object.values(c.languages),
  currencies: Object.entries(c.currencies).map(([code, m]) => ({ code, name: m.name, symbol: m.symbol })),
  callingCodes: codes,
  domains: c.tld,
  borders: c.borders.map((b) => english.get(b) || b),
  landlocked: c.landlocked,
  areaKm2: c.area,
  latitude: c.latlng[0],
  longitude: c.latlng[1],
  independent: c.independent === true,
  unMember: c.unMember === true,
  flag: c.flag,
};
