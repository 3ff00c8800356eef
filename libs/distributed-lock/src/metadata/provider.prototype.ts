import { types } from 'node:util';
import { isObject } from '../objects/prototype.chain.js';

/** What is used of Nest's wrapper of a provider, controller or enhancer; all of it is Nest's own. */
export interface ProviderWrapper {
  readonly token: unknown;
  /** The class; the function of a factory; null for a value. */
  readonly metatype: unknown;
  /** Never touched: it may be a Proxy that refuses every access, such as the proxy providers of nestjs-cls. */
  readonly instance: unknown;
  /** Made by a factory, or given as a value: the class is not known. */
  readonly isNotMetatype: boolean;
}

/**
 * The prototype whose methods a provider has, found without an access to the instance: no property of it is read, and no trap
 * of a Proxy runs.
 * @returns undefined where there is none, or where a Proxy hides it
 */
export function prototypeOf({ metatype, instance, isNotMetatype }: ProviderWrapper): object | undefined {
  if (!isNotMetatype && typeof metatype === 'function') {
    const { prototype }: { readonly prototype: unknown } = metatype;
    return isObject(prototype) ? prototype : undefined;
  }
  if (!isObject(instance) || types.isProxy(instance)) return undefined;
  return Reflect.getPrototypeOf(instance) ?? undefined;
}
