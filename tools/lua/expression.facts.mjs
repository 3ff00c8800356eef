/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('luaparse').Identifier} Identifier */
/** @typedef {import('luaparse').IndexExpression} IndexExpression */

/**
 * The expressions directly inside another; a function's body is not among them.
 * @param {Expression} expression
 * @returns {Expression[]}
 */
export function childrenOf(expression) {
  switch (expression.type) {
    case 'UnaryExpression':
      return [expression.argument];
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [expression.left, expression.right];
    case 'MemberExpression':
      return [expression.base];
    case 'IndexExpression':
      return [expression.base, expression.index];
    case 'CallExpression':
      return [expression.base, ...expression.arguments];
    case 'TableConstructorExpression':
      return expression.fields.flatMap((field) =>
        field.type === 'TableKey' ? [field.key, field.value] : [field.value],
      );
    default:
      return [];
  }
}

/**
 * The name that an expression consists of, or nothing.
 * @param {Expression | null | undefined} expression
 */
export function nameOf(expression) {
  return expression?.type === 'Identifier' ? expression.name : '';
}

/**
 * The field that an expression reads, where its name is written out: `a.b` or `a['b']`.
 * @param {Expression} expression
 * @returns {{ base: Expression, name: string } | undefined}
 */
export function fieldOf(expression) {
  if (expression.type === 'MemberExpression')
    return { base: expression.base, name: expression.identifier.name };
  return expression.type === 'IndexExpression' && expression.index.type === 'StringLiteral'
    ? { base: expression.base, name: expression.index.value }
    : undefined;
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
  return expression.type === 'IndexExpression' && isVector(nameOf(expression.base));
}

/**
 * @param {IndexExpression} read
 * @returns {'KEYS' | 'ARGV'}
 */
export function vectorOf(read) {
  return nameOf(read.base) === 'KEYS' ? 'KEYS' : 'ARGV';
}

/**
 * Whether this is `#KEYS` or `#ARGV`.
 * @param {Expression} expression
 */
export function isVectorLength(expression) {
  return (
    expression.type === 'UnaryExpression' &&
    expression.operator === '#' &&
    isVector(nameOf(expression.argument))
  );
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
 * @returns {{ vector: Identifier, first: Expression | undefined } | null}
 */
export function otherPositions(expression) {
  const [first, more] = expression.type === 'TableConstructorExpression' ? expression.fields : [];
  const call = first?.type === 'TableValue' ? first.value : undefined;
  if (call?.type !== 'CallExpression' || more || nameOf(call.base) !== 'unpack') return null;
  const [vector, from] = call.arguments;
  return vector?.type === 'Identifier' && isVector(vector.name) ? { vector, first: from } : null;
}

/**
 * Whether a value is written out in full, with nothing that the caller gives.
 * @param {Expression} expression
 * @returns {boolean}
 */
export function isLiteral(expression) {
  if (expression.type === 'BinaryExpression')
    return isLiteral(expression.left) && isLiteral(expression.right);
  return expression.type === 'StringLiteral' || expression.type === 'NumericLiteral';
}
