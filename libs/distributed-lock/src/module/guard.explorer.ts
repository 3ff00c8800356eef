import type { OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { readGuards, type GuardEntry } from '../contracts/guard.registry.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { bindService } from '../decorators/service.property.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';

/** What is used of Nest's wrapper of a provider, controller or enhancer. */
interface Wrapper {
  readonly metatype: unknown;
  readonly instance: unknown;
  /** Made by a factory, or given as a value: Nest injects no properties into it. */
  readonly isNotMetatype: boolean;
}

/**
 * Looks at every guarded class when the application starts: refuses methods that cannot be guarded, and gives the
 * service to instances that Nest did not make. An instance that several applications share takes the last one's.
 */
export class GuardExplorer implements OnModuleInit {
  constructor(
    private readonly locks: LockService,
    private readonly token: symbol,
    private readonly modules: ModulesContainer,
  ) {}

  /** @throws LockConfigurationError `NOT_ASYNC` for a method that is declared to return neither a promise nor an Observable */
  onModuleInit(): void {
    for (const { providers, controllers, injectables } of this.modules.values()) {
      for (const found of [providers, controllers, injectables]) {
        for (const wrapper of found.values()) this.#look(wrapper);
      }
    }
  }

  #look(wrapper: Wrapper): void {
    const prototype = prototypeOf(wrapper);
    if (prototype === undefined) return;
    const guards = readGuards(prototype).filter(
      ({ options }) => lockServiceToken(options.service) === this.token,
    );
    for (const guard of guards) refuseSync(guard);
    const [first] = guards;
    if (first !== undefined && wrapper.isNotMetatype && isObject(wrapper.instance))
      bindService(wrapper.instance, first.options.service, this.locks);
  }
}

function refuseSync({ where, returns }: GuardEntry): void {
  if (returns !== 'sync') return;
  throw new LockConfigurationError(
    'NOT_ASYNC',
    `@DistributedLock on ${where}: it is declared to return neither a promise nor an Observable.`,
  );
}

/** The class's, also where instances are made per request. */
function prototypeOf({ metatype, instance, isNotMetatype }: Wrapper): object | undefined {
  const prototype: unknown =
    isNotMetatype || typeof metatype !== 'function'
      ? isObject(instance) && Reflect.getPrototypeOf(instance)
      : metatype.prototype;
  return isObject(prototype) ? prototype : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
