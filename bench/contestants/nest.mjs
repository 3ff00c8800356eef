/** What the contestants of a Nest application share: plain Node has no syntax for decorators. */

/**
 * Decorates a method, the last decorator first, as TypeScript does it.
 * @param {object} prototype
 * @param {string} name
 * @param {readonly MethodDecorator[]} decorators
 */
export function decorate(prototype, name, ...decorators) {
  const method = Object.getOwnPropertyDescriptor(prototype, name);
  if (method === undefined) throw new Error(`there is no method ${name}`);
  for (const apply of decorators.toReversed()) apply(prototype, name, method);
  Object.defineProperty(prototype, name, method);
}

/** For a contestant that is called, and takes no lock by hand. */
export function notByHand() {
  const refuse = () => Promise.reject(new Error('it is called, and not locked'));
  return { acquire: refuse, release: refuse };
}
