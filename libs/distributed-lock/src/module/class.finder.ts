import type { ModulesContainer } from '@nestjs/core';

/** A class of the application, as Nest keeps it. */
export interface FoundClass {
  /** The class's, also where instances are made per request. */
  readonly prototype: object;
  readonly instance: unknown;
  /** Made by a factory, or given as a value: Nest injects no properties into it. */
  readonly isNotMetatype: boolean;
}

/** What is used of Nest's wrapper of a provider, controller or enhancer. */
interface Wrapper {
  readonly metatype: unknown;
  readonly instance: unknown;
  readonly isNotMetatype: boolean;
}

/** Every provider, controller and enhancer of the application that has a class. */
export function findClasses(modules: ModulesContainer): FoundClass[] {
  return [...modules.values()].flatMap(({ providers, controllers, injectables }) =>
    [providers, controllers, injectables].flatMap((found) => [...found.values()].flatMap(read)),
  );
}

function read(wrapper: Wrapper): FoundClass[] {
  const { metatype, instance, isNotMetatype } = wrapper;
  const prototype: unknown =
    isNotMetatype || typeof metatype !== 'function'
      ? isObject(instance) && Reflect.getPrototypeOf(instance)
      : metatype.prototype;
  return isObject(prototype) ? [{ prototype, instance, isNotMetatype }] : [];
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
