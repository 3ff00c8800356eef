import { LockConfigurationError } from '../errors/lock.errors.js';
import type { NodeRedisClient } from '../redis-source/node-redis.source.js';
import type { Purpose } from '../client-port/open.client.js';
import { settingsOf, type Address } from './client.settings.js';
import type { RawClient, RawOptions } from './raw.client.js';

/** Makes clients with the options of a source, each for one connection. */
export class ClientMaker {
  readonly options: RawOptions;

  /**
   * @param template never connected here; its `duplicate()` makes another client of its own class, which takes a hundredth of the time that
   * `createClient()` takes to make the class
   */
  constructor(private readonly template: NodeRedisClient) {
    this.options = template.options ?? {};
  }

  /** @param signal closes the socket of the client, in whatever state it is @param address @default that of the options */
  client(purpose: Purpose, signal: AbortSignal, address?: Address): RawClient {
    const { template, options } = this;
    const settings = settingsOf(options, { purpose, address, signal });
    return copyOf(template, Reflect.apply(template.duplicate, template, [settings]));
  }
}

/** The `duplicate()` of a patched client may return anything. */
function copyOf(client: NodeRedisClient, copy: unknown): RawClient {
  const isCopy = copy !== client && isUnused(copy);
  if (isCopy) return copy;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    'The duplicate() of the client in "redis" does not return a new client with the options { ...this.options, ...override }. Give a URL, or a client with the duplicate() of the package "redis".',
  );
}

function isUnused(copy: unknown): copy is RawClient {
  if (typeof copy !== 'object' || copy === null) return false;
  const { isOpen, options }: { isOpen?: unknown; options?: { disableOfflineQueue?: unknown } } = copy;
  return isOpen === false && options?.disableOfflineQueue === true;
}
