import 'reflect-metadata';
import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import { chainOf } from '../objects/prototype.chain.js';
import { placeAmongGlobals, placeRefusals } from '../filters/filter.placement.js';
import { GatewayRefusalFilter } from '../filters/gateway-refusal.filter.js';
import { LockRefusalFilter } from '../filters/lock-refusal.filter.js';
import { ScopedRefusalFilter } from '../filters/scoped-refusal.filter.js';

/** What `@WebSocketGateway` notes, by `@nestjs/websockets` of Nest 11 and 12. */
const GATEWAY = 'websockets:is_gateway';
/** What `@UseFilters` notes. */
const FILTERS = '__exceptionFilters__';
/** The filter that a class or a method was given. */
const BOUND = Symbol.for('nestjs-distributed-lock.refusals');

/** What is used of Nest's `ApplicationConfig`, which no module provides. */
interface GlobalFilters {
  getGlobalFilters(): readonly unknown[];
}

/**
 * Has the refusal filter asked before every global filter that catches everything, and after those that name
 * refusals. Computed when Nest reads the list, since `useGlobalFilters()` may be called later.
 */
export function bindGlobally(modules: ModuleRef): void {
  const { container }: { readonly container?: { readonly applicationConfig?: GlobalFilters } } =
    Object(modules);
  const config = container?.applicationConfig;
  if (config === undefined) return;
  const read = config.getGlobalFilters;
  config.getGlobalFilters = () => placeAmongGlobals(Reflect.apply(read, config, []), isRefusalFilter);
}

/** Also behind a Proxy of an instrumentation, which passes a question for the prototype on. */
function isRefusalFilter(filter: unknown): boolean {
  return filter instanceof LockRefusalFilter;
}

/**
 * The same for the filters of classes and of their methods: in their metadata, which Nest reads later in the
 * boot, and for request-scoped classes at each request.
 * @returns takes the filter away again
 */
export function bindToClasses(modules: ModulesContainer, filter: LockRefusalFilter): () => void {
  const scoped = targetsOf(modules).flatMap((target) => {
    const bound = bindScoped(target);
    return bound === undefined ? [] : [{ target, bound }];
  });
  for (const { bound } of scoped) bound.join(filter);
  return () => {
    for (const { target, bound } of scoped) {
      bound.leave(filter);
      if (bound.isUnused) unbind(target, bound);
    }
  };
}

/**
 * Nest gives gateways no global filters, so theirs is bound to the class: before all others, which Nest asks
 * first. Done while providers are made, for gateways read their filters before any hook. Once per class,
 * however many applications it serves.
 */
export function bindToGateways(modules: ModulesContainer): void {
  for (const metatype of classesOf(modules)) {
    if (!Reflect.hasMetadata(GATEWAY, metatype)) continue;
    const filters = filtersOf(metatype);
    // Compared by identity: filters may be the user's own instances.
    if (filters.includes(Reflect.getMetadata(BOUND, metatype))) continue;
    const filter = new GatewayRefusalFilter();
    for (const target of [metatype, ...methodsOf(metatype)]) {
      const own = target === metatype ? [filter, ...filters] : filtersOf(target);
      const placed = placeRefusals(own, filter);
      if (target === metatype || placed !== own) bind(target, placed, filter);
    }
  }
}

/** @returns undefined where no filter catches everything */
function bindScoped(target: object): ScopedRefusalFilter | undefined {
  const filters = filtersOf(target);
  const known: unknown = Reflect.getMetadata(BOUND, target);
  if (known instanceof ScopedRefusalFilter && filters.includes(known)) return known;
  const bound = new ScopedRefusalFilter();
  const placed = placeRefusals(filters, bound);
  if (placed === filters) return undefined;
  bind(target, placed, bound);
  return bound;
}

function bind(target: object, filters: readonly unknown[], bound: object): void {
  Reflect.defineMetadata(FILTERS, filters, target);
  Reflect.defineMetadata(BOUND, bound, target);
}

function unbind(target: object, bound: object): void {
  Reflect.defineMetadata(
    FILTERS,
    filtersOf(target).filter((filter) => filter !== bound),
    target,
  );
  Reflect.deleteMetadata(BOUND, target);
}

function filtersOf(target: object): readonly unknown[] {
  return Reflect.getMetadata(FILTERS, target) ?? [];
}

/** Classes with handlers, but for gateways, and those of their methods that bind filters. */
function targetsOf(modules: ModulesContainer): object[] {
  return classesOf(modules)
    .filter((metatype) => !Reflect.hasMetadata(GATEWAY, metatype))
    .flatMap((metatype) => [metatype, ...methodsOf(metatype)])
    .filter((target) => Reflect.hasMetadata(FILTERS, target));
}

function classesOf(modules: ModulesContainer): object[] {
  const wrappers = [...modules.values()].flatMap(({ providers, controllers }) => [
    ...providers.values(),
    ...controllers.values(),
  ]);
  return [
    ...new Set(
      wrappers.flatMap(({ metatype, isNotMetatype }) =>
        isNotMetatype || typeof metatype !== 'function' ? [] : [metatype],
      ),
    ),
  ];
}

/** Methods of the class and of those above it; no getter is read. */
function methodsOf(metatype: object): object[] {
  const methods: object[] = [];
  const { prototype }: { readonly prototype?: object | null } = metatype;
  for (const level of chainOf(prototype ?? null)) {
    if (level === Object.prototype) break;
    for (const key of Reflect.ownKeys(level)) {
      const method: unknown = Reflect.getOwnPropertyDescriptor(level, key)?.value;
      if (typeof method === 'function' && key !== 'constructor') methods.push(method);
    }
  }
  return methods;
}
