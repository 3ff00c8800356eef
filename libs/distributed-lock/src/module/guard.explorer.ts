import type { OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { readGuards } from '../metadata/guard.registry.js';
import { readLeaderMethods } from '../metadata/leader.registry.js';
import type { MethodEntry } from '../metadata/method.registry.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { forgetApplication, noteApplication } from '../decorators/hidden.instances.js';
import { bindService } from '../decorators/service.property.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import { bootHook } from '../startup/open.applications.js';
import { asksForFields, checkAnswered, checkIntercepted } from './handler.checks.js';
import { findClasses, findHidden, hasInstance, type FoundClass } from './class.finder.js';

/**
 * Looks at every class with decorated methods when the application starts: refuses methods that cannot be
 * wrapped, and gives the service to instances that Nest did not make. An instance that several applications
 * share takes the last one's. No property of a foreign instance is read, and a Proxy is not touched at all:
 * it is known by its identity.
 */
export class GuardExplorer implements OnModuleInit {
  constructor(
    private readonly locks: LockService,
    private readonly token: symbol,
    private readonly modules: ModulesContainer,
  ) {}

  /**
   * @throws LockConfigurationError `NOT_ASYNC` for a method that is declared to return neither a promise nor
   * an Observable, `INVALID_TARGET` and `INVALID_OPTION` for a `@UseDistributedLock` that Nest never asks, or
   * that is one lock for all requests
   */
  onModuleInit(): void | Promise<void> {
    return bootHook(this.modules, () => this.#explore());
  }

  #explore(): void {
    const asksFields = asksForFields(this.modules);
    for (const found of findClasses(this.modules)) this.#exploreClass(found, asksFields);
    const { proxies, hasLater } = findHidden(this.modules);
    const application = {
      token: this.token,
      has: (instance: object) => hasInstance(this.modules, instance),
      hides: hasLater || proxies.length > 0,
    };
    noteApplication(this.locks, application, proxies);
    this.locks.onceEnded(() => forgetApplication(this.locks));
  }

  #exploreClass({ prototype, foreign }: FoundClass, asksFields: boolean): void {
    const methods = [...readGuards(prototype), ...readLeaderMethods(prototype)].filter(
      ({ options }) => lockServiceToken(options.service) === this.token,
    );
    for (const method of methods) {
      refuseSync(method);
      checkAnswered(prototype, method);
    }
    checkIntercepted(prototype, asksFields);
    const [first] = methods;
    if (first !== undefined && foreign !== undefined) bindService(foreign, first.options.service, this.locks);
  }
}

function refuseSync({ decorator, where, returns }: MethodEntry): void {
  if (returns !== 'sync') return;
  throw new LockConfigurationError(
    'NOT_ASYNC',
    `${decorator} on ${where}: the declared return type is neither a promise nor an Observable.`,
  );
}
