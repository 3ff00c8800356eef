/** Tokens are global symbols, so that an app that loads two copies of this package (ESM and CommonJS) still has one service. */

const DEFAULT = 'default';

/**
 * The injection token of a module instance's LockService. Its description is the sentence that Nest shows
 * when it cannot resolve it.
 */
export function lockServiceToken(name: string = DEFAULT): symbol {
  const named = name === DEFAULT ? '' : ` with name: '${name}'`;
  return Symbol.for(`LockService (import DistributedLockModule.forRoot()${named} in your root module)`);
}

/** The property in which a decorated class carries its LockService. */
export function lockServiceProperty(name: string = DEFAULT): symbol {
  return Symbol.for(`nestjs-distributed-lock.service.${name}`);
}
