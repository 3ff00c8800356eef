/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {Extract<Expression, { type: 'index' }>} IndexExpression */

/**
 * The expressions directly inside another; a function's body is not among them.
 * @param {Expression} expression
 * @returns {Expression[]}
 */
export function childrenOf(expression) {
  switch (expression.type) {
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'index':
      return [expression.object, expression.key];
    case 'call':
      return [expression.callee, ...expression.args];
    case 'table':
      return expression.fields.flatMap(({ key, value }) => (key === null ? [value] : [key, value]));
    default:
      return [];
  }
}

/**
 * @param {string} name
 * @returns {name is 'KEYS' | 'ARGV'}
 */
export function isVector(name) {
  return name === 'KEYS' || name === 'ARGV';
}

/**
 * Whether this is `KEYS[...]` or `ARGV[...]`.
 * @param {Expression} expression
 * @returns {expression is IndexExpression}
 */
export function isVectorRead(expression) {
  return expression.type === 'index' && expression.object.type === 'name' && isVector(expression.object.name);
}

/**
 * @param {IndexExpression} read
 * @returns {'KEYS' | 'ARGV'}
 */
export function vectorOf(read) {
  return read.object.type === 'name' && read.object.name === 'KEYS' ? 'KEYS' : 'ARGV';
}

/**
 * Whether this is `#KEYS` or `#ARGV`.
 * @param {Expression} expression
 */
export function isVectorLength(expression) {
  if (expression.type !== 'unary' || expression.operator !== '#') return false;
  return expression.operand.type === 'name' && isVector(expression.operand.name);
}

/**
 * All reads of KEYS and ARGV inside an expression.
 * @param {Expression} expression
 * @returns {IndexExpression[]}
 */
export function vectorReads(expression) {
  if (isVectorRead(expression)) return [expression];
  return childrenOf(expression).flatMap(vectorReads);
}

/**
 * Reads `{unpack(KEYS, 2)}` or the like: all positions from one on.
 * @param {Expression} expression
 * @returns {{ vector: Extract<Expression, { type: 'name' }>, first: Expression | undefined } | null}
 */
export function otherPositions(expression) {
  const [first, more] = expression.type === 'table' ? expression.fields : [];
  const call = first?.key === null ? first.value : undefined;
  if (call?.type !== 'call' || more || call.callee.type !== 'name' || call.callee.name !== 'unpack')
    return null;
  const [vector, from] = call.args;
  return vector?.type === 'name' && isVector(vector.name) ? { vector, first: from } : null;
}

/**
 * Whether a value is written out in full, with nothing that the caller gives.
 * @param {Expression} expression
 * @returns {boolean}
 */
export function isLiteral(expression) {
  if (expression.type === 'binary') return isLiteral(expression.left) && isLiteral(expression.right);
  return expression.type === 'string' || expression.type === 'number';
}
