// Each unit is [factor to the base unit, other names…]; the first name is the
// symbol. Factors are exact by definition (SI, the international yard and pound
// of 1959, IEC 80000-13).
const UNITS = {
  length: {
    m: [1, 'metre', 'meter'], km: [1000, 'kilometre', 'kilometer'], cm: [0.01, 'centimetre', 'centimeter'],
    mm: [0.001, 'millimetre', 'millimeter'], 'µm': [1e-6, 'um', 'micrometre', 'micrometer', 'micron'],
    nm: [1e-9, 'nanometre', 'nanometer'], in: [0.0254, 'inch', 'inches', '"'], ft: [0.3048, 'foot', 'feet', "'"],
    yd: [0.9144, 'yard'], mi: [1609.344, 'mile'], nmi: [1852, 'nautical mile'], au: [149597870700, 'astronomical unit'],
    ly: [9460730472580800, 'light year', 'light-year'],
  },
  mass: {
    kg: [1, 'kilogram', 'kilo'], g: [0.001, 'gram'], mg: [1e-6, 'milligram'], 'µg': [1e-9, 'ug', 'microgram'],
    t: [1000, 'tonne', 'metric ton'], lb: [0.45359237, 'pound', 'lbs'], oz: [0.028349523125, 'ounce'],
    st: [6.35029318, 'stone'], 'short ton': [907.18474, 'US ton'], 'long ton': [1016.0469088, 'UK ton'],
    ct: [0.0002, 'carat'],
  },
  temperature: {
    K: [1, 'kelvin'], C: [1, '°C', 'celsius', 'degree celsius'], F: [5 / 9, '°F', 'fahrenheit', 'degree fahrenheit'],
    R: [5 / 9, '°R', 'rankine'],
  },
  volume: {
    L: [1, 'l', 'litre', 'liter'], mL: [0.001, 'ml', 'millilitre', 'milliliter'], cL: [0.01, 'cl', 'centilitre', 'centiliter'],
    m3: [1000, 'm³', 'cubic metre', 'cubic meter'], cm3: [0.001, 'cm³', 'cc', 'cubic centimetre', 'cubic centimeter'],
    gal: [3.785411784, 'gallon', 'US gallon'], qt: [0.946352946, 'quart'], pt: [0.473176473, 'pint'],
    cup: [0.2365882365, 'US cup'], 'fl oz': [0.0295735295625, 'fluid ounce', 'floz'],
    tbsp: [0.01478676478125, 'tablespoon'], tsp: [0.00492892159375, 'teaspoon'],
    'imp gal': [4.54609, 'imperial gallon', 'UK gallon'], 'imp pt': [0.56826125, 'imperial pint', 'UK pint'],
    ft3: [28.316846592, 'ft³', 'cubic foot', 'cubic feet'], in3: [0.016387064, 'in³', 'cubic inch', 'cubic inches'],
  },
  area: {
    m2: [1, 'm²', 'square metre', 'square meter', 'sqm'], km2: [1e6, 'km²', 'square kilometre', 'square kilometer'],
    cm2: [1e-4, 'cm²', 'square centimetre', 'square centimeter'], ha: [10000, 'hectare'],
    acre: [4046.8564224], ft2: [0.09290304, 'ft²', 'square foot', 'square feet', 'sqft'],
    in2: [0.00064516, 'in²', 'square inch', 'square inches'], yd2: [0.83612736, 'yd²', 'square yard'],
    mi2: [2589988.110336, 'mi²', 'square mile'],
  },
  speed: {
    'm/s': [1, 'mps', 'metre per second', 'meter per second'], 'km/h': [1 / 3.6, 'kmh', 'kph', 'kilometre per hour', 'kilometer per hour'],
    mph: [0.44704, 'mi/h', 'mile per hour', 'miles per hour'], kn: [1852 / 3600, 'knot', 'kt'], 'ft/s': [0.3048, 'fps', 'foot per second', 'feet per second'],
  },
  time: {
    s: [1, 'second', 'sec'], ms: [0.001, 'millisecond'], 'µs': [1e-6, 'us', 'microsecond'], ns: [1e-9, 'nanosecond'],
    min: [60, 'minute'], h: [3600, 'hour', 'hr'], d: [86400, 'day'], week: [604800, 'wk'],
  },
  data: {
    B: [8, 'byte'], kB: [8e3, 'KB', 'kilobyte'], MB: [8e6, 'megabyte'], GB: [8e9, 'gigabyte'], TB: [8e12, 'terabyte'], PB: [8e15, 'petabyte'],
    KiB: [8 * 2 ** 10, 'kibibyte'], MiB: [8 * 2 ** 20, 'mebibyte'], GiB: [8 * 2 ** 30, 'gibibyte'], TiB: [8 * 2 ** 40, 'tebibyte'], PiB: [8 * 2 ** 50, 'pebibyte'],
    bit: [1, 'b'], kbit: [1e3, 'kb', 'kilobit'], Mbit: [1e6, 'Mb', 'megabit'], Gbit: [1e9, 'Gb', 'gigabit'], Tbit: [1e12, 'Tb', 'terabit'],
  },
  energy: {
    J: [1, 'joule'], kJ: [1000, 'kilojoule'], MJ: [1e6, 'megajoule'], cal: [4.184, 'calorie'], kcal: [4184, 'kilocalorie', 'Cal'],
    Wh: [3600, 'watt hour', 'watt-hour'], kWh: [3.6e6, 'kilowatt hour', 'kilowatt-hour'], BTU: [1055.05585262, 'british thermal unit'],
    eV: [1.602176634e-19, 'electronvolt'],
  },
  power: { W: [1, 'watt'], kW: [1000, 'kilowatt'], MW: [1e6, 'megawatt'], hp: [745.69987158227022, 'horsepower'], PS: [735.49875, 'metric horsepower'] },
  pressure: {
    Pa: [1, 'pascal'], hPa: [100, 'hectopascal', 'mbar', 'millibar'], kPa: [1000, 'kilopascal'], MPa: [1e6, 'megapascal'], bar: [1e5],
    atm: [101325, 'atmosphere'], psi: [6894.757293168361, 'pound per square inch', 'pounds per square inch'], mmHg: [133.322387415, 'millimetre of mercury', 'millimeter of mercury'],
    inHg: [3386.388640341, 'inch of mercury', 'inches of mercury'],
  },
  force: { N: [1, 'newton'], kN: [1000, 'kilonewton'], lbf: [4.4482216152605, 'pound-force', 'pound force'], kgf: [9.80665, 'kilogram-force', 'kilogram force'] },
  angle: { rad: [1, 'radian'], deg: [Math.PI / 180, '°', 'degree'], grad: [Math.PI / 200, 'gon', 'gradian'], turn: [2 * Math.PI, 'revolution'] },
  frequency: { Hz: [1, 'hertz'], kHz: [1e3, 'kilohertz'], MHz: [1e6, 'megahertz'], GHz: [1e9, 'gigahertz'], rpm: [1 / 60, 'revolutions per minute'] },
  'fuel economy': {
    'km/L': [1, 'km/l', 'kilometre per litre', 'kilometer per liter'], 'L/100km': [100, 'l/100km', 'litres per 100 km', 'liters per 100 km'],
    mpg: [1.609344 / 3.785411784, 'US mpg', 'mile per gallon', 'miles per gallon'], 'imp mpg': [1.609344 / 4.54609, 'UK mpg'],
  },
};

// search lists the units of which one name fits.
function search(fits) {
  const hits = [];
  for (const dimension of Object.keys(UNITS)) {
    for (const symbol of Object.keys(UNITS[dimension])) {
      const [factor, ...others] = UNITS[dimension][symbol];
      if (fits(symbol) || others.some(fits)) hits.push({ dimension, symbol, factor });
    }
  }
  return hits;
}

// find looks a unit up by its exact name, then by its name in any case, in the
// plural too ("Miles", "miles per hour"). A name that means two ("mb") is an error.
function find(text) {
  const name = text.trim().replace(/\s+/g, ' ');
  let hits = search((n) => n === name);
  if (hits.length === 0) {
    const wanted = name.toLowerCase();
    const single = wanted.replace(/^(.{2,}?)s( |$)/, '$1$2').replace(/(.{2,})s$/, '$1');
    hits = search((n) => {
      const known = n.toLowerCase();
      return known === wanted || (known.length > 2 && known === single);
    });
  }
  if (hits.length === 1) return hits[0];
  if (hits.length > 1) throw new Error('unit "' + text + '" could be ' + hits.map((u) => u.symbol).join(' or ') + '; write it exactly');
  throw new Error('unit "' + text + '" is unknown; use one of ' + Object.keys(UNITS).map((d) => d + ': ' + Object.keys(UNITS[d]).join(', ')).join('; '));
}

const source = find(from);
const target = find(to);
if (source.dimension !== target.dimension) {
  throw new Error(source.symbol + ' is a unit of ' + source.dimension + ', ' + target.symbol + ' of ' + target.dimension + '; convert within one');
}

// Temperatures have different zeros; what is added before scaling to kelvin.
const ZERO = { K: 0, C: 273.15, F: 459.67, R: 0 };
let result;
if (source.symbol === target.symbol) {
  result = value;
} else if (source.dimension === 'temperature') {
  if (value + ZERO[source.symbol] < -1e-9) throw new Error(value + ' ' + source.symbol + ' is below absolute zero');
  result = ((value + ZERO[source.symbol]) * source.factor) / target.factor - ZERO[target.symbol];
} else if (source.dimension === 'fuel economy') {
  // Litres per distance is the reciprocal of distance per litre.
  const reciprocal = (u) => u.symbol === 'L/100km';
  if (value <= 0 && (reciprocal(source) || reciprocal(target))) throw new Error('value must be above 0 for fuel economy');
  const perLitre = reciprocal(source) ? source.factor / value : value * source.factor;
  result = reciprocal(target) ? target.factor / perLitre : perLitre / target.factor;
} else {
  result = (value * source.factor) / target.factor;
}
if (!Number.isFinite(result)) throw new Error('the result is too large for a number');
result = Number(result.toPrecision(12)); // without the noise of binary fractions
if (source.dimension === 'temperature') result = Number(result.toFixed(9));
return { result, unit: target.symbol, dimension: source.dimension, text: value + ' ' + source.symbol + ' = ' + result + ' ' + target.symbol };
