const DEFAULT = 'redis://localhost:6379';
const UNSAFE = /['"`$\\\s]/;

/**
 * The address to write into the source.
 * @throws Error where it is none, or has a password, which does not belong there
 */
export function readAddress(given: string | undefined): string {
  if (given === undefined) return DEFAULT;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol) || UNSAFE.test(given))
    throw new Error(`--redis must be an address such as ${DEFAULT}, not "${given}". Nothing was changed.`);
  if (url.password !== '') {
    throw new Error(
      '--redis holds a password, which does not belong in source code: put the address into the variable REDIS_URL, ' +
        'which the application reads first, and run this without --redis. Nothing was changed.',
    );
  }
  return given;
}
