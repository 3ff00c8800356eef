import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import { GatewayRefusalFilter } from '../filters/gateway-refusal.filter.js';

/** What `@WebSocketGateway` notes, by `@nestjs/websockets` of Nest 11 and 12. */
const GATEWAY = 'websockets:is_gateway';
/** What `@UseFilters` notes. */
const FILTERS = '__exceptionFilters__';
/** The filter that a gateway was given. */
const BOUND = Symbol.for('nestjs-distributed-lock.gateway');

/**
 * Nest gives gateways no global filters, so theirs is bound to the class: before all others, which Nest asks first. Done while
 * providers are made, for gateways read their filters before any hook. Once per class, however many applications it serves.
 */
export function bindToGateways(modules: ModulesContainer): void {
  for (const { providers } of modules.values()) {
    for (const { metatype, isNotMetatype } of providers.values()) {
      if (isNotMetatype || typeof metatype !== 'function' || !Reflect.hasMetadata(GATEWAY, metatype))
        continue;
      const filters: readonly unknown[] = Reflect.getMetadata(FILTERS, metatype) ?? [];
      // Compared by identity: filters may be the user's own instances.
      if (filters.includes(Reflect.getMetadata(BOUND, metatype))) continue;
      const filter = new GatewayRefusalFilter();
      Reflect.defineMetadata(FILTERS, [filter, ...filters], metatype);
      Reflect.defineMetadata(BOUND, filter, metatype);
    }
  }
}
