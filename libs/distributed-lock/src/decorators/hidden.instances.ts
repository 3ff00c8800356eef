import type { LockService } from '../service/lock.service.js';

/** What the applications of this process have that hides its class. */
interface HiddenInstances {
  /** By instance: the services of its applications, by their tokens. The later application replaces the earlier one. */
  readonly services: WeakMap<object, Map<symbol, LockService>>;
  /** The running applications that have such instances, with the tokens of their services. */
  readonly applications: Map<LockService, symbol>;
}

/** Of the process, for the boot and the methods may use different copies of this package. */
const PLACE = Symbol.for('nestjs-distributed-lock.hidden');

function hidden(): HiddenInstances {
  const place: typeof globalThis & { [PLACE]?: HiddenInstances } = globalThis;
  return (place[PLACE] ??= { services: new WeakMap(), applications: new Map() });
}

/**
 * Notes that an application has instances whose class its boot cannot know without touching them: Proxies, and what factories make
 * for each request.
 * @param proxies known by their identity from now on
 */
export function noteHidden(locks: LockService, token: symbol, proxies: readonly object[]): void {
  const { services, applications } = hidden();
  applications.set(locks, token);
  for (const proxy of proxies) {
    const known = services.get(proxy) ?? new Map<symbol, LockService>();
    services.set(proxy, known.set(token, locks));
  }
}

/** The application ends: its service serves no more instances. */
export function forgetHidden(locks: LockService): void {
  hidden().applications.delete(locks);
}

/** The service of a Proxy that the boot found. */
export function serviceOfProxy(proxy: object, token: symbol): LockService | undefined {
  return hidden().services.get(proxy)?.get(token);
}

/**
 * The service for an instance that the boot could not find, such as the object behind a Proxy: that of the one running application
 * that has hidden instances. Of several applications it could be the wrong one.
 */
export function onlyServiceOfHidden(token: symbol): LockService | undefined {
  const [first, second] = [...hidden().applications].filter(([, of]) => of === token);
  return second === undefined ? first?.[0] : undefined;
}
