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
