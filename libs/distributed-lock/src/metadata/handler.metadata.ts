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

/** `@Res()` and `@Next()`, by their numbers. */
const RESPONSE = '1:';
const NEXT = '2:';

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

/** Whether a handler is the route of a controller. */
function isRoute(handler: unknown): handler is object {
  return typeof handler === 'function' && Reflect.hasMetadata(NEST.path, handler);
}

/** Whether Nest leaves the response to a route that has it: it sends events, a page and a redirect in any case. */
export function leavesResponse(handler: unknown): boolean {
  return (
    isRoute(handler) &&
    ![NEST.sse, NEST.template, NEST.redirect].some((name) => Reflect.hasMetadata(name, handler))
  );
}

/**
 * Whether a handler answers by itself what it is asked: a route with `@Res()` or `@Next()`, without `passthrough`.
 * @param handler the function that Nest calls
 */
export function answersItself(controller: object, methodKey: string | symbol, handler: unknown): boolean {
  return leavesResponse(handler) && positionOf([RESPONSE, NEXT], controller, methodKey) !== undefined;
}

/**
 * At which position of its arguments a handler has the response: `@Res()` without `passthrough`. Only of a handler of which
 * {@link leavesResponse} holds: resolvers note their arguments at the same place, with other meanings.
 */
export function responsePosition(controller: object, methodKey: string | symbol): number | undefined {
  return positionOf([RESPONSE], controller, methodKey);
}

function positionOf(
  types: readonly string[],
  controller: object,
  methodKey: string | symbol,
): number | undefined {
  if (Reflect.getMetadata(NEST.passthrough, controller, methodKey) === true) return undefined;
  const noted: Readonly<Record<string, { readonly index: number }>> | undefined = Reflect.getMetadata(
    NEST.arguments,
    controller,
    methodKey,
  );
  return Object.entries(noted ?? {}).find(([type]) => types.some((one) => type.startsWith(one)))?.[1].index;
}
