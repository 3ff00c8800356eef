import type { LockService } from '../service/lock.service.js';

/** A running application, and what is known of its instances. */
export interface KnownApplication {
  /** The token of its service. */
  readonly token: symbol;
  /** Whether it has an instance now: a module that is loaded later brings more. Compares identities, and reads nothing. */
  readonly has: (instance: object) => boolean;
  /** Whether it has instances that only their own methods show: behind a Proxy, or made by a factory for each request. */
  readonly hides: boolean;
}

/** The instances whose class their applications cannot tell, as proxies hide it. */
interface HiddenInstances {
  /** By instance: the services of its applications, by their tokens. The later application replaces the earlier one. */
  readonly services: WeakMap<object, Map<symbol, LockService>>;
  readonly applications: Map<LockService, KnownApplication>;
}

/** Of the process, for the boot and the methods may use different copies of this package. */
const REGISTRY_KEY = Symbol.for('nestjs-distributed-lock.hidden');

function hidden(): HiddenInstances {
  const registry: typeof globalThis & { [REGISTRY_KEY]?: HiddenInstances } = globalThis;
  return (registry[REGISTRY_KEY] ??= { services: new WeakMap(), applications: new Map() });
}

/**
 * Notes an application that runs from now on.
 * @param proxies its instances that are Proxies, known by their identity
 */
export function noteApplication(
  locks: LockService,
  application: KnownApplication,
  proxies: readonly object[],
): void {
  const { services, applications } = hidden();
  applications.set(locks, application);
  for (const proxy of proxies) {
    const known = services.get(proxy) ?? new Map<symbol, LockService>();
    services.set(proxy, known.set(application.token, locks));
  }
}

/** The application ends: its service serves no more instances. */
export function forgetApplication(locks: LockService): void {
  hidden().applications.delete(locks);
}

/** The service of a Proxy that the boot found. */
export function serviceOfProxy(proxy: object, token: symbol): LockService | undefined {
  return hidden().services.get(proxy)?.get(token);
}

/**
 * The service for an instance that the startup could not find. It is the service of the application that has the instance by now. If none
 * has it, it is the service of the application that hides instances, if only one such application runs: of several it could be the wrong one.
 */
export function serviceOfUnbound(instance: object, token: symbol): LockService | undefined {
  const running = [...hidden().applications].filter(([, application]) => application.token === token);
  const [only, another] = running;
  // Whether it has the instance makes no difference then.
  if (another === undefined && only?.[1].hides === true) return only[0];
  const owners = running.filter(([, { has }]) => has(instance));
  const [first, second] = owners.length > 0 ? owners : running.filter(([, { hides }]) => hides);
  return second === undefined ? first?.[0] : undefined;
}
