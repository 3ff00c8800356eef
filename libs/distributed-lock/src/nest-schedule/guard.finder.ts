import type { ModulesContainer } from '@nestjs/core';
import { guardOf, readGuards, type GuardEntry } from '../metadata/guard.registry.js';
import { chainOf, isObject } from '../objects/prototype.chain.js';
import { prototypeOf } from '../metadata/provider.prototype.js';
import { readSchedule, type Schedule } from './schedule.metadata.js';

/** A guarded method of a class that the application provides. */
export interface GuardedMethod {
  readonly guard: GuardEntry;
  /** The schedule in the metadata of its function, or of its guard. */
  readonly schedule: Schedule | undefined;
  /** Undefined where none is made once for the whole application. */
  readonly instance: object | undefined;
}

/** The guards of the application's providers and controllers, found by their classes. */
export class GuardFinder {
  /** Of every class, the outermost guard of each method. */
  readonly methods: readonly GuardedMethod[];
  readonly #byInstance = new Map<object, object>();

  /** @param isOurs whether a guard belongs to this module instance */
  constructor(
    modules: ModulesContainer,
    private readonly isOurs: (guard: GuardEntry) => boolean,
  ) {
    const methods: GuardedMethod[] = [];
    for (const { providers, controllers } of modules.values()) {
      for (const wrapper of [...controllers.values(), ...providers.values()]) {
        const prototype = prototypeOf(wrapper);
        if (prototype === undefined) continue;
        const { instance: made } = wrapper;
        const instance = wrapper.isDependencyTreeStatic() && isObject(made) ? made : undefined;
        if (instance !== undefined) this.#byInstance.set(instance, prototype);
        for (const guard of this.#guardsOf(prototype))
          methods.push({ guard, schedule: scheduleOf(prototype, guard), instance });
      }
    }
    this.methods = methods;
  }

  /**
   * The guard that a fire of `method` meets: its own, or that of the method which it overrides and may call.
   * @param instance the instance that has the method
   */
  guardAt(
    method: object,
    instance: object,
    methodKey: string,
  ): { guard: GuardEntry; isOwn: boolean } | undefined {
    const own = guardOf(method);
    if (own !== undefined) return this.isOurs(own) ? { guard: own, isOwn: true } : undefined;
    const prototype = this.#byInstance.get(instance);
    if (prototype === undefined) return undefined;
    const hidden = this.#guardsOf(prototype).find((guard) => guard.methodKey === methodKey);
    if (hidden !== undefined) return { guard: hidden, isOwn: true };
    for (const level of chainOf(prototype)) {
      const guard = this.#guardsOf(level).find((inherited) => inherited.methodKey === methodKey);
      if (guard !== undefined) return { guard, isOwn: false };
    }
    return undefined;
  }

  #guardsOf(prototype: object): GuardEntry[] {
    const guards = new Map<string | symbol, GuardEntry>();
    // The outermost of several guards of a method is the later one, and the one that meets the tick.
    for (const guard of readGuards(prototype)) guards.set(guard.methodKey, guard);
    return [...guards.values()].filter(this.isOurs);
  }
}

/** By the function in the class, or by the guard where something above it has dropped the metadata. */
function scheduleOf(prototype: object, { methodKey, guarded }: GuardEntry): Schedule | undefined {
  for (const level of chainOf(prototype)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(level, methodKey);
    if (descriptor !== undefined) return readSchedule(descriptor.value) ?? readSchedule(guarded);
  }
  return readSchedule(guarded);
}
