import type { LockService } from '../service/lock.service.js';

/** The services of one application, by the container that Nest keeps its modules in. */
interface Application {
  readonly services: Set<LockService>;
  /** Whether the library has refused its boot. */
  isRefused: boolean;
  /** Whether all that it begins with was made: what is opened later belongs to a module that is loaded by the running application. */
  isMade: boolean;
}

const APPLICATIONS = new WeakMap<object, Application>();

function applicationOf(container: object): Application {
  const known = APPLICATIONS.get(container);
  if (known !== undefined) return known;
  const application: Application = { services: new Set(), isRefused: false, isMade: false };
  APPLICATIONS.set(container, application);
  return application;
}

/**
 * Opens a service of an application. If it is refused at the boot, the services that the application already has are closed.
 * @param container Nest's of the application
 */
export async function openIn(
  container: object,
  open: () => LockService | Promise<LockService>,
): Promise<LockService> {
  const application = applicationOf(container);
  try {
    const service = await open();
    application.services.add(service);
    // Another module was refused meanwhile.
    if (application.isRefused) await service.shutDown();
    return service;
  } catch (error) {
    if (application.isMade) throw error;
    return await refuseBoot(container, error);
  }
}

/** Runs a hook of the boot. Nest calls no shutdown hook where one throws, so what the application has opened is closed here. */
export function bootHook(container: object, hook: () => void): void | Promise<void> {
  // Nest makes all instances before the first hook, and calls no hook of a module that is loaded later.
  applicationOf(container).isMade = true;
  try {
    hook();
    return undefined;
  } catch (error) {
    return refuseBoot(container, error);
  }
}

/** Closes the services of an application that does not start. @throws the reason */
export async function refuseBoot(container: object, reason: unknown): Promise<never> {
  const application = applicationOf(container);
  application.isRefused = true;
  await Promise.allSettled([...application.services].map((service) => service.shutDown()));
  throw reason;
}
