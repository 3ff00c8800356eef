import { types } from 'node:util';
import { INQUIRER, REQUEST, type ModulesContainer } from '@nestjs/core';
import { isObject } from '../objects/prototype.chain.js';
import { prototypeOf, type ProviderWrapper } from '../metadata/provider.prototype.js';

/** A class of the application. */
export interface FoundClass {
  /** The class's, also where instances are made per request. */
  readonly prototype: object;
  /** An instance that Nest did not make, and so injects no properties into. */
  readonly foreign: object | undefined;
}

/** Every provider, controller and enhancer of the application that has a class, found without an access to its instance. */
export function findClasses(modules: ModulesContainer): FoundClass[] {
  return wrappersOf(modules).flatMap((wrapper) => {
    const prototype = prototypeOf(wrapper);
    const { isNotMetatype, instance } = wrapper;
    return prototype === undefined
      ? []
      : [{ prototype, foreign: isNotMetatype && isObject(instance) ? instance : undefined }];
  });
}

/** Providers whose class the boot cannot know. */
export interface HiddenProviders {
  /** Values that are Proxies. */
  readonly proxies: readonly object[];
  /** Whether factories make instances later: per request, or for each consumer. */
  readonly hasLater: boolean;
}

/** Every application has these of Nest's own, which are made for each request and for each consumer. */
const NESTS: ReadonlySet<unknown> = new Set([REQUEST, INQUIRER]);

/** The values and the products of factories whose class {@link findClasses} does not find. */
export function findHidden(modules: ModulesContainer): HiddenProviders {
  const foreign = wrappersOf(modules).filter(({ isNotMetatype }) => isNotMetatype);
  const proxies = foreign.flatMap(({ instance }) =>
    isObject(instance) && types.isProxy(instance) ? [instance] : [],
  );
  const hasLater = foreign.some(
    ({ token, metatype, instance }) =>
      !NESTS.has(token) && typeof metatype === 'function' && (instance === undefined || instance === null),
  );
  return { proxies, hasLater };
}

/** Whether an application has an instance, compared by its identity. */
export function hasInstance(modules: ModulesContainer, instance: object): boolean {
  return wrappersOf(modules).some((wrapper) => wrapper.instance === instance);
}

function wrappersOf(modules: ModulesContainer): ProviderWrapper[] {
  return [...modules.values()].flatMap(({ providers, controllers, injectables }) =>
    [providers, controllers, injectables].flatMap((found) => [...found.values()]),
  );
}
