import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import { GatewayRefusalFilter } from '../filters/gateway-refusal.filter.js';

/** What `@WebSocketGateway` notes, by `@nestjs/websockets` of Nest 11 and 12. */
const GATEWAY = 'websockets:is_gateway';
/** What `@UseFilters` notes. */
const FILTERS = '__exceptionFilters__';

/**
 * Nest gives gateways no global filters, so theirs is bound to the class: before all others, which Nest asks first. Done while
 * providers are made, for gateways read their filters before any hook. Once per class, however many applications it serves.
 */
export function bindToGateways(modules: ModulesContainer): void {
  for (const { providers } of modules.values()) {
    for (const { metatype } of providers.values()) {
      if (typeof metatype !== 'function' || !Reflect.hasMetadata(GATEWAY, metatype)) continue;
      const filters: readonly unknown[] = Reflect.getMetadata(FILTERS, metatype) ?? [];
      if (filters.some((filter) => filter instanceof GatewayRefusalFilter)) continue;
      Reflect.defineMetadata(FILTERS, [new GatewayRefusalFilter(), ...filters], metatype);
    }
  }
}
