import { types } from 'node:util';
import { Inject } from '@nestjs/common';
import { isObject } from '../objects/prototype.chain.js';
import { lockServiceProperty, lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import { isMock } from '../service/mocked.service.js';
import { serviceOfUnbound, serviceOfProxy } from './hidden.instances.js';

/** Stands for a service that a test mocks. A mock is recognized when it is injected: each property of it is a function. */
const MOCK = null;

/**
 * Lets Nest inject the service into the instances of a class, as a hidden property (see {@link bindService}). Declared once per class
 * and its parents, because Nest injects each declaration.
 */
export function injectService(prototype: object, name: string | undefined): void {
  if (lockServiceProperty(name) in prototype) return;
  hideService(prototype, name);
  Inject(lockServiceToken(name))(prototype, lockServiceProperty(name));
}

function hideService(prototype: object, name: string | undefined): void {
  Reflect.defineProperty(prototype, lockServiceProperty(name), {
    configurable: true,
    get: () => undefined,
    set(this: object, locks: LockService) {
      bindService(this, name, isMock(locks) ? MOCK : locks);
    },
  });
}

/**
 * Gives an instance the service of its application, unseen by those who log, compare or copy the instance.
 * @throws LockConfigurationError `NOT_BOUND` for a frozen instance
 */
export function bindService(
  instance: object,
  name: string | undefined,
  locks: LockService | typeof MOCK,
): void {
  const descriptor = { value: locks, writable: true, configurable: true, enumerable: false };
  if (Reflect.defineProperty(instance, lockServiceProperty(name), descriptor)) return;
  throw new LockConfigurationError(
    'NOT_BOUND',
    `An instance of ${instance.constructor.name} is frozen, so a LockService cannot be injected.`,
    undefined,
    undefined,
    'Freeze the instance after the application has started, or let Nest create it from its class.',
  );
}

/**
 * Makes a function that gives the service of an instance's own application, and throws LockConfigurationError `NOT_BOUND` for an
 * instance that Nest neither made nor found, and for one that got a mock of the service.
 * @param where class and method, for messages
 */
export function serviceReader(name: string | undefined, where: string): (instance: unknown) => LockService {
  const property = lockServiceProperty(name);
  const token = lockServiceToken(name);
  return (instance) => {
    // A Proxy that the boot found is known by its identity: it may refuse to be read.
    const known = isObject(instance) && types.isProxy(instance) ? serviceOfProxy(instance, token) : undefined;
    if (known !== undefined) return known;
    const place: { readonly [property: symbol]: LockService | typeof MOCK | undefined } = Object(instance);
    const own = place[property];
    if (own === MOCK) throw mocked(where);
    const locks = own ?? (isObject(instance) ? serviceOfUnbound(instance, token) : undefined);
    if (locks !== undefined) return locks;
    throw new LockConfigurationError(
      'NOT_BOUND',
      `${where} was called on an instance without a LockService.`,
    );
  };
}

function mocked(where: string): LockConfigurationError {
  return new LockConfigurationError(
    'NOT_BOUND',
    `${where} was called on an instance with a mock of the LockService, which cannot acquire locks.`,
    undefined,
    undefined,
    'In a unit test import DistributedLockTestingModule.forRoot() of "nestjs-distributed-lock/testing".',
  );
}
