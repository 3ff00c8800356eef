/** @type {Readonly<Record<string, number>>} */
const CONTROLS = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/**
 * The bytes of a string literal, one character each: what Lua has for a text.
 * @param {Extract<import('./lua.types.js').Expression, { type: 'string' }>} literal
 */
export function bytesOf({ value, token = '' }) {
  const bytes = Buffer.from(value, 'utf8').toString('latin1');
  if (token.startsWith('[')) return bytes.replace(/^\n/, '');
  return bytes.replaceAll(/\\(\d{1,3}|[\s\S])/g, (_whole, escaped) => {
    if (/^\d/.test(escaped)) return String.fromCharCode(Number(escaped));
    const control = CONTROLS[escaped];
    return control === undefined ? escaped : String.fromCharCode(control);
  });
}

/**
 * A text of bytes as it is written in JavaScript.
 * @param {string} bytes
 */
export function jsLiteral(bytes) {
  const quoted = JSON.stringify(bytes).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${quoted.replaceAll(/[\u007f-\uffff]/g, hexOf)}'`;
}

/** @param {string} character */
export function hexOf(character) {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
