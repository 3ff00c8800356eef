/** @typedef {import('./lua.types.js').Binding} Binding */
/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('./lua.types.js').Scope} Scope */

/**
 * What a name stands for, seen from a scope; undefined for a global.
 * @param {string} name
 * @param {Scope | null} scope
 * @returns {Binding | undefined}
 */
export function lookUp(name, scope) {
  for (let at = scope; at; at = at.parent) {
    const binding = at.names.get(name);
    if (binding) return binding;
  }
  return undefined;
}

/**
 * The value of a position in a given turn of the loop over the operations, or undefined where that cannot be told.
 * @param {Expression} expression
 * @param {Scope | null} scope
 * @param {number} turn 0 for the first operation
 * @returns {number | undefined}
 */
export function evaluatePosition(expression, scope, turn) {
  switch (expression.type) {
    case 'NumericLiteral':
      return expression.value;
    case 'Identifier':
      return evaluateName(expression.name, scope, turn);
    case 'BinaryExpression': {
      const left = evaluatePosition(expression.left, scope, turn);
      const right = evaluatePosition(expression.right, scope, turn);
      return left === undefined || right === undefined
        ? undefined
        : calculate(expression.operator, left, right);
    }
    default:
      return undefined;
  }
}

/**
 * @param {string} name
 * @param {Scope | null} scope
 * @param {number} turn
 */
function evaluateName(name, scope, turn) {
  const binding = lookUp(name, scope);
  if (binding?.value) return evaluatePosition(binding.value, binding.scope, turn);
  if (!binding?.loop) return undefined;
  const first = evaluatePosition(binding.loop.first, binding.scope, turn);
  const step = binding.loop.step ? evaluatePosition(binding.loop.step, binding.scope, turn) : 1;
  return first === undefined || step === undefined ? undefined : first + step * turn;
}

/**
 * @param {string} operator
 * @param {number} left
 * @param {number} right
 */
function calculate(operator, left, right) {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return undefined;
  }
}
