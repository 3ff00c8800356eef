// The injection tokens are global symbols, so that an app that loads two copies of this package (ESM and CommonJS) still has one service.

const DEFAULT = 'default';

/**
 * The injection token for the LockService of a module instance. Nest prints the description of the token if it
 * cannot resolve the LockService.
 * @param name the `name` of that instance. @default the unnamed instance
 */
export function lockServiceToken(name: string = DEFAULT): symbol {
  const named = name === DEFAULT ? '' : ` with name: '${name}'`;
  return Symbol.for(`LockService (import DistributedLockModule.forRoot()${named} in your root module)`);
}

/** The property in which a decorated class carries its LockService. */
export function lockServiceProperty(name: string = DEFAULT): symbol {
  return Symbol.for(`nestjs-distributed-lock.service.${name}`);
}
