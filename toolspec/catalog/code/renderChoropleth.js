// Colours the areas of a map by a number for each. Areas may be given by code or
// by name; the card has codes: ISO 3166-1 alpha-2 for countries, two letters for
// states of the USA, ISO 3166-2 numbers for Korea.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/say.js

// include shared/named.js

// Each entry: the code, further codes and names behind slashes. The name that
// comes first is shown.
const MAPS = {
  world: 'AF/AFG/Afghanistan|AX/ALA/Åland Islands|AL/ALB/Albania|DZ/DZA/Algeria|AS/ASM/American Samoa|AD/AND/Andorra|AO/AGO/Angola|'
    + 'AI/AIA/Anguilla|AQ/ATA/Antarctica|AG/ATG/Antigua and Barbuda|AR/ARG/Argentina|AM/ARM/Armenia|AW/ABW/Aruba|AU/AUS/Australia|'
    + 'AT/AUT/Austria|AZ/AZE/Azerbaijan|BS/BHS/Bahamas|BH/BHR/Bahrain|BD/BGD/Bangladesh|BB/BRB/Barbados|BY/BLR/Belarus|BE/BEL/Belgium|'
    + 'BZ/BLZ/Belize|BJ/BEN/Benin|BM/BMU/Bermuda|BT/BTN/Bhutan|BO/BOL/Bolivia|BA/BIH/Bosnia and Herzegovina/Bosnia|BW/BWA/Botswana|'
    + 'BR/BRA/Brazil|VG/VGB/British Virgin Islands|BN/BRN/Brunei/Brunei Darussalam|BG/BGR/Bulgaria|BF/BFA/Burkina Faso|BI/BDI/Burundi|'
    + 'KH/KHM/Cambodia|CM/CMR/Cameroon|CA/CAN/Canada|CV/CPV/Cape Verde/Cabo Verde|KY/CYM/Cayman Islands|CF/CAF/Central African Republic|'
    + 'TD/TCD/Chad|CL/CHL/Chile|CN/CHN/China/People\'s Republic of China|CO/COL/Colombia|KM/COM/Comoros|'
    + 'CG/COG/Congo/Republic of the Congo/Congo-Brazzaville|CD/COD/DR Congo/Democratic Republic of the Congo/DRC/Congo-Kinshasa|'
    + 'CK/COK/Cook Islands|CR/CRI/Costa Rica|CI/CIV/Ivory Coast/Côte d\'Ivoire|HR/HRV/Croatia|CU/CUB/Cuba|CW/CUW/Curaçao|CY/CYP/Cyprus|'
    + 'CZ/CZE/Czechia/Czech Republic|DK/DNK/Denmark|DJ/DJI/Djibouti|DM/DMA/Dominica|DO/DOM/Dominican Republic|EC/ECU/Ecuador|EG/EGY/Egypt|'
    + 'SV/SLV/El Salvador|GQ/GNQ/Equatorial Guinea|ER/ERI/Eritrea|EE/EST/Estonia|SZ/SWZ/Eswatini/Swaziland|ET/ETH/Ethiopia|'
    + 'FK/FLK/Falkland Islands|FO/FRO/Faroe Islands|FJ/FJI/Fiji|FI/FIN/Finland|FR/FRA/France|GF/GUF/French Guiana|PF/PYF/French Polynesia|'
    + 'GA/GAB/Gabon|GM/GMB/Gambia|GE/GEO/Georgia|DE/DEU/Germany|GH/GHA/Ghana|GI/GIB/Gibraltar|GR/GRC/Greece|GL/GRL/Greenland|'
    + 'GD/GRD/Grenada|GP/GLP/Guadeloupe|GU/GUM/Guam|GT/GTM/Guatemala|GG/GGY/Guernsey|GN/GIN/Guinea|GW/GNB/Guinea-Bissau|GY/GUY/Guyana|'
    + 'HT/HTI/Haiti|HN/HND/Honduras|HK/HKG/Hong Kong|HU/HUN/Hungary|IS/ISL/Iceland|IN/IND/India|ID/IDN/Indonesia|IR/IRN/Iran|IQ/IRQ/Iraq|'
    + 'IE/IRL/Ireland|IM/IMN/Isle of Man|IL/ISR/Israel|IT/ITA/Italy|JM/JAM/Jamaica|JP/JPN/Japan|JE/JEY/Jersey|JO/JOR/Jordan|'
    + 'KZ/KAZ/Kazakhstan|KE/KEN/Kenya|KI/KIR/Kiribati|XK/XKX/Kosovo|KW/KWT/Kuwait|KG/KGZ/Kyrgyzstan|LA/LAO/Laos/Lao|LV/LVA/Latvia|'
    + 'LB/LBN/Lebanon|LS/LSO/Lesotho|LR/LBR/Liberia|LY/LBY/Libya|LI/LIE/Liechtenstein|LT/LTU/Lithuania|LU/LUX/Luxembourg|'
    + 'MO/MAC/Macao/Macau|MG/MDG/Madagascar|MW/MWI/Malawi|MY/MYS/Malaysia|MV/MDV/Maldives|ML/MLI/Mali|MT/MLT/Malta|'
    + 'MH/MHL/Marshall Islands|MQ/MTQ/Martinique|MR/MRT/Mauritania|MU/MUS/Mauritius|YT/MYT/Mayotte|MX/MEX/Mexico|FM/FSM/Micronesia|'
    + 'MD/MDA/Moldova|MC/MCO/Monaco|MN/MNG/Mongolia|ME/MNE/Montenegro|MS/MSR/Montserrat|MA/MAR/Morocco|MZ/MOZ/Mozambique|'
    + 'MM/MMR/Myanmar/Burma|NA/NAM/Namibia|NR/NRU/Nauru|NP/NPL/Nepal|NL/NLD/Netherlands/Holland|NC/NCL/New Caledonia|NZ/NZL/New Zealand|'
    + 'NI/NIC/Nicaragua|NE/NER/Niger|NG/NGA/Nigeria|KP/PRK/North Korea|MK/MKD/North Macedonia/Macedonia|MP/MNP/Northern Mariana Islands|'
    + 'NO/NOR/Norway|OM/OMN/Oman|PK/PAK/Pakistan|PW/PLW/Palau|PS/PSE/Palestine|PA/PAN/Panama|PG/PNG/Papua New Guinea|PY/PRY/Paraguay|'
    + 'PE/PER/Peru|PH/PHL/Philippines|PL/POL/Poland|PT/PRT/Portugal|PR/PRI/Puerto Rico|QA/QAT/Qatar|RE/REU/Réunion|RO/ROU/Romania|'
    + 'RU/RUS/Russia/Russian Federation|RW/RWA/Rwanda|KN/KNA/Saint Kitts and Nevis|LC/LCA/Saint Lucia|'
    + 'VC/VCT/Saint Vincent and the Grenadines|WS/WSM/Samoa|SM/SMR/San Marino|ST/STP/São Tomé and Príncipe|SA/SAU/Saudi Arabia|'
    + 'SN/SEN/Senegal|RS/SRB/Serbia|SC/SYC/Seychelles|SL/SLE/Sierra Leone|SG/SGP/Singapore|SK/SVK/Slovakia/Slovak Republic|'
    + 'SI/SVN/Slovenia|SB/SLB/Solomon Islands|SO/SOM/Somalia|ZA/ZAF/South Africa|KR/KOR/South Korea/Korea/Republic of Korea|'
    + 'SS/SSD/South Sudan|ES/ESP/Spain|LK/LKA/Sri Lanka|SD/SDN/Sudan|SR/SUR/Suriname|SE/SWE/Sweden|CH/CHE/Switzerland|SY/SYR/Syria|'
    + 'TW/TWN/Taiwan|TJ/TJK/Tajikistan|TZ/TZA/Tanzania|TH/THA/Thailand|TL/TLS/Timor-Leste/East Timor|TG/TGO/Togo|TO/TON/Tonga|'
    + 'TT/TTO/Trinidad and Tobago|TN/TUN/Tunisia|TR/TUR/Turkey/Türkiye|TM/TKM/Turkmenistan|TC/TCA/Turks and Caicos Islands|TV/TUV/Tuvalu|'
    + 'UG/UGA/Uganda|UA/UKR/Ukraine|AE/ARE/United Arab Emirates/UAE/Emirates|GB/GBR/United Kingdom/UK/Great Britain/Britain/England|'
    + 'US/USA/United States/United States of America/America/U.S.A./U.S.|UY/URY/Uruguay|VI/VIR/US Virgin Islands|UZ/UZB/Uzbekistan|'
    + 'VU/VUT/Vanuatu|VA/VAT/Vatican City/Vatican/Holy See|VE/VEN/Venezuela|VN/VNM/Vietnam/Viet Nam|EH/ESH/Western Sahara|YE/YEM/Yemen|'
    + 'ZM/ZMB/Zambia|ZW/ZWE/Zimbabwe|BL/BLM/Saint Barthélemy|BQ/BES/Caribbean Netherlands/Bonaire|BV/BVT/Bouvet Island|'
    + 'CC/CCK/Cocos Islands|CX/CXR/Christmas Island|GS/SGS/South Georgia|HM/HMD/Heard Island|IO/IOT/British Indian Ocean Territory|'
    + 'MF/MAF/Saint Martin|NF/NFK/Norfolk Island|NU/NIU/Niue|PM/SPM/Saint Pierre and Miquelon|PN/PCN/Pitcairn|SH/SHN/Saint Helena|'
    + 'SJ/SJM/Svalbard|SX/SXM/Sint Maarten|TF/ATF/French Southern Territories|TK/TKL/Tokelau|WF/WLF/Wallis and Futuna',
  us: 'AL/Alabama|AK/Alaska|AZ/Arizona|AR/Arkansas|CA/California|CO/Colorado|CT/Connecticut|DE/Delaware|'
    + 'DC/District of Columbia/Washington DC|FL/Florida|GA/Georgia|HI/Hawaii|ID/Idaho|IL/Illinois|IN/Indiana|IA/Iowa|KS/Kansas|'
    + 'KY/Kentucky|LA/Louisiana|ME/Maine|MD/Maryland|MA/Massachusetts|MI/Michigan|MN/Minnesota|MS/Mississippi|MO/Missouri|MT/Montana|'
    + 'NE/Nebraska|NV/Nevada|NH/New Hampshire|NJ/New Jersey|NM/New Mexico|NY/New York|NC/North Carolina|ND/North Dakota|OH/Ohio|'
    + 'OK/Oklahoma|OR/Oregon|PA/Pennsylvania|PR/Puerto Rico|RI/Rhode Island|SC/South Carolina|SD/South Dakota|TN/Tennessee|TX/Texas|'
    + 'UT/Utah|VT/Vermont|VA/Virginia|WA/Washington|WV/West Virginia|WI/Wisconsin|WY/Wyoming',
  korea: 'KR-11/11/Seoul/서울/서울특별시|KR-26/26/Busan/부산/부산광역시|KR-27/27/Daegu/대구/대구광역시|KR-28/28/Incheon/인천/인천광역시|KR-29/29/Gwangju/광주/광주광역시|'
    + 'KR-30/30/Daejeon/대전/대전광역시|KR-31/31/Ulsan/울산/울산광역시|KR-50/50/Sejong/세종/세종특별자치시|KR-41/41/Gyeonggi/경기/경기도/Gyeonggi-do|'
    + 'KR-42/42/Gangwon/강원/강원도/강원특별자치도/Gangwon-do|KR-43/43/North Chungcheong/Chungbuk/충북/충청북도|KR-44/44/South Chungcheong/Chungnam/충남/충청남도|'
    + 'KR-45/45/North Jeolla/Jeonbuk/전북/전라북도/전북특별자치도|KR-46/46/South Jeolla/Jeonnam/전남/전라남도|KR-47/47/North Gyeongsang/Gyeongbuk/경북/경상북도|'
    + 'KR-48/48/South Gyeongsang/Gyeongnam/경남/경상남도|KR-49/49/Jeju/제주/제주도/제주특별자치도/Jeju-do',
};

const spoken = map === undefined ? 'world' : map.trim().toLowerCase().replace(/[^a-z]+/g, ' ').trim();
const also = { earth: 'world', countries: 'world', globe: 'world', usa: 'us', 'u s': 'us', 'u s a': 'us', 'united states': 'us', 'us states': 'us', states: 'us', kr: 'korea', 'south korea': 'korea' };
const chosen = Object.hasOwn(also, spoken) ? also[spoken] : spoken;
if (!Object.hasOwn(MAPS, chosen)) throw new Error('map must be world (countries), us (states) or korea (provinces), is ' + show(map));

// plain drops what people write differently: case, accents, points and "the".
function plain(name) {
  return name.normalize('NFD').replace(/[\u0300-\u036f]/g, '').normalize('NFC').toLowerCase().replace(/&/g, 'and').replace(/[.,'’()-]/g, ' ').replace(/\bthe\b/g, ' ').replace(/\bst\b/g, 'saint').replace(/\s+/g, ' ').trim();
}
const codes = new Map();
const titles = new Map();
for (const entry of MAPS[chosen].split('|')) {
  const [code, ...names] = entry.split('/');
  for (const n of [code, ...names]) codes.set(plain(n), code);
  titles.set(code, names.find((n) => n.length > 3) || code);
}

if (regions.length === 0) throw new Error('regions is empty; pass at least one, such as {"region": "KR", "value": 51.7}');
if (regions.length > 500) throw new Error('there are ' + regions.length + ' regions, at most 500 fit');
const read = regions.map((value, i) => {
  const where = 'regions[' + i + ']';
  const r = Array.isArray(value) ? { region: value[0], value: value[1] } : row(value, where);
  const name = clean(pick(r, ['region', 'code', 'country', 'state', 'province', 'name', 'id']), 80);
  if (name === '') throw new Error(where + ' has no region');
  const code = codes.get(plain(name)) || codes.get(plain(name.replace(/^(us|kr)-/i, '')));
  if (code === undefined) throw new Error(where + ': the map ' + chosen + ' has no ' + show(name) + '; pass ' + (chosen === 'world' ? 'an ISO code such as KR or an English country name' : chosen === 'us' ? 'a state such as CA or California' : 'a province such as Seoul or KR-11'));
  return { region: code, name: titles.get(code), value: num(pick(r, ['value', 'count', 'amount', 'total']), where + '.value') };
});
const seen = new Set();
for (const r of read) {
  if (seen.has(r.region)) throw new Error('the region ' + r.name + ' (' + r.region + ') comes twice; add the values up');
  seen.add(r.region);
}

const payload = { type: 'choropleth' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.map = chosen;
payload.regions = read;
const top = read.reduce((a, b) => (b.value > a.value ? b : a));
const bottom = read.reduce((a, b) => (b.value < a.value ? b : a));
payload.min = bottom.value;
payload.max = top.value;
const at = (r) => r.name + ' (' + say(r.value) + (mark === '' ? '' : ' ' + mark) + ')';
const what = { world: ['country', 'countries'], us: ['state', 'states'], korea: ['province', 'provinces'] }[chosen][read.length === 1 ? 0 : 1];
return card(named('Map') + ' of ' + read.length + ' ' + what + ': highest ' + at(top) + ', lowest ' + at(bottom) + '.', payload);
