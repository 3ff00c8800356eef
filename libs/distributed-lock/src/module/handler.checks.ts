import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import { answersItself } from '../metadata/handler.metadata.js';
import type { MethodEntry } from '../metadata/method.registry.js';
import { readIntercepted, type InterceptedEntry } from '../metadata/intercepted.registry.js';
import { chainOf, methodOf } from '../objects/prototype.chain.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkStaticKey, REQUEST_KEY } from '../guards/key.mistakes.js';

/** What Nest notes of routes; in Nest 11 and 12. */
const PATH = 'path';
const ROUTE_ARGUMENTS = '__routeArguments__';

/** The metadata of methods that `@nestjs/graphql` treats as field resolvers, and the token of its options. */
const FIELDS = ['graphql:resolve_property', 'graphql:resolve_reference'];
const GRAPHQL_OPTIONS = 'GqlModuleOptions';

/** Metadata that makes no method a handler: of the compiler, of enhancers, and of callers that ask no interceptor. */
const NO_HANDLER =
  /^(?:design:|__interceptors__$|__guards__$|__pipes__$|__exceptionFilters__$|swagger\/|SCHEDULE|SCHEDULER|EVENT_LISTENER_METADATA$|bull:|bullmq:|nestjs-distributed-lock)/;

/**
 * Checks every `@UseDistributedLock` of a class: Nest asks interceptors for handlers only, and a text is one
 * key for all requests.
 * @param asksFields whether it asks them for field resolvers of GraphQL
 * @throws LockConfigurationError `INVALID_TARGET`, `INVALID_OPTION`
 */
export function checkIntercepted(prototype: object, asksFields: boolean): void {
  const overridden = new Set<string | symbol>();
  for (const level of chainOf(prototype)) {
    for (const entry of readIntercepted(level)) {
      // The class has another method in its place.
      if (entry.methodKey !== undefined && overridden.has(entry.methodKey)) continue;
      const keys = entry.methodKey === undefined ? methodsOf(prototype) : [entry.methodKey];
      const handlers = keys.filter((methodKey) => isHandler(prototype, methodKey));
      if (handlers.length === 0) throw noHandler(entry);
      if (!asksFields && handlers.every((key) => isField(methodOf(prototype, key))))
        throw withoutInterceptors(entry);
      for (const methodKey of handlers) {
        checkKeys(entry, prototype, methodKey);
        const { where } = entry;
        const place = entry.methodKey === undefined ? `${where}.${String(methodKey)}` : where;
        checkAnswered(prototype, { ...entry, methodKey, where: place });
      }
    }
    for (const name of Reflect.ownKeys(level)) overridden.add(name);
  }
}

/**
 * A handler with `@Res()` or `@Next()` answers by itself: if it is skipped, the client would wait for ever.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkAnswered(
  prototype: object,
  { methodKey, skips, decorator, where }: Pick<MethodEntry, 'methodKey' | 'skips' | 'decorator' | 'where'>,
): void {
  if (skips === undefined) return;
  if (!answersItself(prototype.constructor, methodKey, methodOf(prototype, methodKey))) return;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `${decorator} on ${where}: with ${skips} a refused request is never answered, because the handler has @Res() or @Next() and answers itself.`,
    undefined,
    undefined,
    "Refuse with 'throw', or use @Res({ passthrough: true }) and return the response.",
  );
}

function checkKeys({ key, where }: InterceptedEntry, prototype: object, methodKey: string | symbol): void {
  const method: unknown = methodOf(prototype, methodKey);
  const names = [prototype.constructor, method].flatMap((place) => parametersOf(place));
  for (const each of [key].flat())
    if (typeof each === 'string' && typeof method === 'function')
      checkStaticKey(each, { where, fill: undefined, example: REQUEST_KEY }, method, names);
}

/** The parameters of a route: `:id`, and `{id}` or `*rest` of newer paths. */
function parametersOf(place: unknown): string[] {
  if (typeof place !== 'function') return [];
  const path: unknown = Reflect.getMetadata(PATH, place);
  return [path]
    .flat()
    .flatMap((each) =>
      typeof each === 'string'
        ? [...each.matchAll(/[:*]([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu)].map(([, name = '']) => name)
        : [],
    );
}

function methodsOf(prototype: object): (string | symbol)[] {
  const found = new Set<string | symbol>();
  for (const level of chainOf(prototype)) {
    if (level === Object.prototype) break;
    for (const key of Reflect.ownKeys(level)) if (key !== 'constructor') found.add(key);
  }
  return [...found];
}

/** A framework finds its handlers by metadata that it notes at the method, at its parameters, or at both. */
function isHandler(prototype: object, methodKey: string | symbol): boolean {
  const method = methodOf(prototype, methodKey);
  if (typeof method !== 'function') return false;
  const own = [...Reflect.getMetadataKeys(method), ...Reflect.getMetadataKeys(prototype, methodKey)];
  if (Reflect.hasMetadata(ROUTE_ARGUMENTS, prototype.constructor, methodKey)) return true;
  return own.some(
    (key: unknown) => !NO_HANDLER.test(typeof key === 'symbol' ? (key.description ?? '') : String(key)),
  );
}

/** Whether an application has set that GraphQL asks interceptors for field resolvers. */
export function asksForFields(modules: ModulesContainer): boolean {
  return [...modules.values()].some(({ providers }) => {
    const options: { readonly fieldResolverEnhancers?: unknown } = Object(
      providers.get(GRAPHQL_OPTIONS)?.instance,
    );
    const { fieldResolverEnhancers: enhancers } = options;
    return Array.isArray(enhancers) && enhancers.includes('interceptors');
  });
}

function isField(method: unknown): boolean {
  return typeof method === 'function' && FIELDS.some((name) => Reflect.hasMetadata(name, method));
}

function withoutInterceptors({ decorator, where }: InterceptedEntry): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_TARGET',
    `${decorator} on ${where}: GraphQL asks no interceptor for a field resolver, so the lock would never be acquired.`,
    undefined,
    undefined,
    "Set fieldResolverEnhancers: ['interceptors', 'filters'] in the options of GraphQLModule, or use @DistributedLock.",
  );
}

function noHandler({ decorator, where }: InterceptedEntry): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_TARGET',
    `${decorator} on ${where}: Nest calls no handler there, so the lock would never be acquired.`,
    undefined,
    undefined,
    'Put it on a handler of a controller, a resolver or a gateway, or on such a class. Use @DistributedLock for any other method.',
  );
}
