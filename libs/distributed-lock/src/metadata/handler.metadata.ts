import 'reflect-metadata';

/** Where Nest notes what a handler is. The names are those of its packages, of which an application may lack some. */
const NEST = {
  arguments: '__routeArguments__',
  passthrough: '__responsePassthrough__',
  sse: '__sse__',
  pattern: 'microservices:handler_type',
  path: 'path',
  template: '__renderTemplate__',
  redirect: '__redirect__',
} as const;

/** `@MessagePattern` and `@EventPattern`, by their numbers. */
const PATTERNS: Readonly<Record<number, 'message' | 'event'>> = { 1: 'message', 2: 'event' };

/** `@Res()`. */
const RESPONSE = '1:';

/** What a handler of a microservice answers to; undefined for anything else. */
export function patternOf(handler: unknown): 'message' | 'event' | undefined {
  if (typeof handler !== 'function') return undefined;
  const type: unknown = Reflect.getMetadata(NEST.pattern, handler);
  return typeof type === 'number' ? PATTERNS[type] : undefined;
}

/** Whether a handler gives server-sent events: an Observable, whatever it declares. */
export function isSse(handler: object): boolean {
  return Reflect.getMetadata(NEST.sse, handler) === true;
}

/** Whether Nest sends a response of its own for a handler, even one with `@Res()`: events, a page or a redirect. */
export function isSentByNest(handler: object): boolean {
  return [NEST.sse, NEST.template, NEST.redirect].some((name) => Reflect.hasMetadata(name, handler));
}

/** Whether a handler is the route of a controller. */
export function isRoute(handler: unknown): boolean {
  return typeof handler === 'function' && Reflect.hasMetadata(NEST.path, handler);
}

/**
 * At which position of its arguments a handler has the response that it sends by itself: `@Res()` without `passthrough`. Only of a
 * {@link isRoute route}: resolvers note their arguments at the same place, with other meanings.
 * @returns undefined when Nest sends the response
 */
export function responsePosition(controller: object, methodKey: string | symbol): number | undefined {
  if (Reflect.getMetadata(NEST.passthrough, controller, methodKey) === true) return undefined;
  const noted: Readonly<Record<string, { readonly index: number }>> | undefined = Reflect.getMetadata(
    NEST.arguments,
    controller,
    methodKey,
  );
  return Object.entries(noted ?? {}).find(([type]) => type.startsWith(RESPONSE))?.[1].index;
}
