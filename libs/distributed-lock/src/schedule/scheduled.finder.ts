import type { ModulesContainer } from '@nestjs/core';
import { readGuards, type GuardEntry } from '../contracts/guard.registry.js';
import { jobName } from './job.name.js';
import { readSchedule } from './schedule.metadata.js';
import type { ScheduledMethod } from './scheduled.method.js';

/**
 * The guarded methods that @nestjs/schedule will run: of providers and controllers that are made once.
 * @param isOurs whether a guard belongs to the asking module instance
 * @throws LockConfigurationError `INVALID_OPTION` for a key that needs arguments
 */
export function findScheduled(
  modules: ModulesContainer,
  isOurs: (guard: GuardEntry) => boolean,
): ScheduledMethod[] {
  const instances = new Set<object>();
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const instance: unknown = wrapper.instance;
      if (typeof instance === 'object' && instance !== null && wrapper.isDependencyTreeStatic())
        instances.add(instance);
    }
  }
  return [...instances].flatMap((instance) => methodsOf(instance, isOurs));
}

function methodsOf(instance: object, isOurs: (guard: GuardEntry) => boolean): ScheduledMethod[] {
  const prototype = Reflect.getPrototypeOf(instance);
  const guards = new Map<string | symbol, GuardEntry>();
  // The outermost of several guards of a method is the one that meets the tick.
  for (const guard of prototype === null ? [] : readGuards(prototype)) guards.set(guard.methodKey, guard);
  return [...guards.values()].filter(isOurs).flatMap(({ methodKey, key, options, where }) => {
    const schedule = readSchedule(Reflect.get(instance, methodKey));
    if (schedule === undefined) return [];
    return [{ instance, methodKey, where, job: jobName(key, where), options, schedule }];
  });
}
