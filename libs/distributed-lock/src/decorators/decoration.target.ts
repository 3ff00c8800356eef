import { LockConfigurationError } from '../errors/lock.errors.js';

/**
 * @param decorator with its `@`, for messages
 * @returns class and method, for messages
 * @throws LockConfigurationError `INVALID_TARGET` for anything but an instance method
 */
export function checkTarget(
  decorator: string,
  target: object,
  methodKey: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): string {
  if (typeof methodKey === 'object') {
    throw new LockConfigurationError(
      'INVALID_TARGET',
      `${decorator} needs TypeScript's option "experimentalDecorators", as Nest's own decorators do.`,
      undefined,
      undefined,
      'Set experimentalDecorators: true in tsconfig.json.',
    );
  }
  const isStatic = typeof target === 'function';
  const owner = isStatic ? target.name : target.constructor.name;
  const where = `${owner}${methodKey === undefined ? '' : `.${String(methodKey)}`}`;
  const what = isStatic && methodKey !== undefined ? 'a static member' : notMethod(descriptor);
  if (what === undefined) return where;
  throw new LockConfigurationError(
    'INVALID_TARGET',
    `${decorator} on ${where}: the target is ${what}, not an instance method.`,
  );
}

function notMethod(descriptor: PropertyDescriptor | undefined): string | undefined {
  if (descriptor === undefined) return 'a class, a property or a parameter';
  if (descriptor.get !== undefined || descriptor.set !== undefined) return 'an accessor';
  return typeof descriptor.value === 'function' ? undefined : 'a value without a function';
}
