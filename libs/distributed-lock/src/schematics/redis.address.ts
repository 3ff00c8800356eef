const DEFAULT = 'redis://localhost:6379';
const UNSAFE = /['"`$\\\s]/;

/**
 * The address to write into the source.
 * @throws Error where it is none, or has a password, which does not belong there
 */
export function readAddress(address: string | undefined): string {
  if (address === undefined) return DEFAULT;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol) || UNSAFE.test(address))
    throw new Error(`--redis must be an address such as ${DEFAULT}, not "${address}". Nothing was changed.`);
  if (url.password !== '') {
    throw new Error(
      '--redis holds a password, which does not belong in source code: put the address into the variable REDIS_URL, ' +
        'which the application reads first, and run this without --redis. Nothing was changed.',
    );
  }
  return address;
}
