import 'reflect-metadata';

/** Belong to each function itself, or to sloppy functions only. */
const OWN = new Set<string | symbol>(['prototype', 'arguments', 'caller']);

/**
 * Makes `wrapper` pass for `method` to every other decorator, whether it looked before or looks later: name, length,
 * properties and metadata are the method's, inherited ones included.
 */
export function wrapMethod<W extends object>(method: object, wrapper: W): W {
  // Aspect libraries make the method that they wrap the prototype of their function: its metadata is found there.
  const inherited: unknown = Reflect.getPrototypeOf(method);
  if (typeof inherited === 'function' && inherited !== Function.prototype)
    Reflect.setPrototypeOf(wrapper, inherited);
  for (const property of Reflect.ownKeys(method)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(method, property);
    if (descriptor !== undefined && !OWN.has(property)) Reflect.defineProperty(wrapper, property, descriptor);
  }
  for (const key of Reflect.getOwnMetadataKeys(method)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, method), wrapper);
  }
  return wrapper;
}
