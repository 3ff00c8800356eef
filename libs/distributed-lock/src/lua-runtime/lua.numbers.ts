/** Enough digits for every double whose rounding could be a tie. */
const EXACT = 100;

/** How far a long reaches, below 0 just as far. */
const LONG = 2 ** 63;

/** A number as C writes it with `%.<digits>g`: what Lua makes of it in a text (14), and Redis in an argument or a score (17). */
export function formatGeneral(value: number, digits: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const sign = value < 0 ? '-' : '';
  const [mantissa = '', power = ''] = Math.abs(value).toExponential(EXACT).split('e');
  let exponent = Number(power);
  let kept = roundToEven(mantissa.replace('.', ''), digits);
  if (kept.length > digits) {
    kept = kept.slice(0, digits);
    exponent += 1;
  }
  if (exponent < -4 || exponent >= digits) {
    const fraction = kept.slice(1).replace(/0+$/, '');
    const places = `${Math.abs(exponent)}`.padStart(2, '0');
    return `${sign}${kept[0]}${fraction && `.${fraction}`}e${exponent < 0 ? '-' : '+'}${places}`;
  }
  const [whole, fraction] =
    exponent < 0
      ? ['0', '0'.repeat(-exponent - 1) + kept]
      : [kept.slice(0, exponent + 1), kept.slice(exponent + 1)];
  return `${sign}${whole}${fraction.replace(/0+$/, '').replace(/^(?=.)/, '.')}`;
}

/** A number as C writes it with `%.0f`: to the nearest whole one, and halves to the even one. */
export function formatWhole(value: number): string {
  if (!Number.isFinite(value)) return formatGeneral(value, 17);
  const floor = Math.floor(value);
  const rest = value - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  const isNegative = value < 0 || Object.is(value, -0);
  return rounded === 0 && isNegative ? '-0' : BigInt(rounded).toString();
}

/** A number as C writes it with `%d`, which Lua makes a long of: what fits in none is the least of them, as on x86. */
export function formatInteger(value: number): string {
  const whole = Math.trunc(value);
  return whole >= -LONG && whole < LONG ? BigInt(whole).toString() : `${-BigInt(LONG)}`;
}

/** What Lua reads as a number; undefined for what is none. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.replaceAll(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(trimmed)) return Number(trimmed);
  if (/^[-+]?0[xX][\da-fA-F]+$/.test(trimmed))
    return trimmed.startsWith('-') ? -Number(trimmed.slice(1)) : Number(trimmed.replace('+', ''));
  const [, sign, word] = /^([-+]?)(inf|infinity|nan)$/i.exec(trimmed) ?? [];
  if (word === undefined) return undefined;
  const value = word.toLowerCase() === 'nan' ? NaN : Infinity;
  return sign === '-' ? -value : value;
}

/** @returns one digit more where all of them were nines */
function roundToEven(digits: string, length: number): string {
  const kept = BigInt(digits.slice(0, length));
  const rest = digits.slice(length);
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const isUp = rest > half || (rest === half && kept % 2n === 1n);
  return (isUp ? kept + 1n : kept).toString();
}
