import 'reflect-metadata';
import { isErrorClass } from '../objects/class.brand.js';
import { chainOf } from '../objects/prototype.chain.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';

/** The metadata of `@Catch`, on the class and, from Nest 12 on, on its prototype. */
const CATCHES = '__filterCatchExceptions__';

/**
 * Nest tries the filters of one level from the last to the first, and the first one that fits answers. A filter that catches everything would
 * answer a refusal with 500, so the refusal filter is put behind the last one of these: it is tried before them, and after every filter
 * behind them, such as one of `@Catch(LockNotAcquiredError)`.
 * @param filters classes and instances, as they were bound
 * @returns the list without a change where no filter catches everything
 */
export function placeRefusals(filters: readonly unknown[], refusals: object): readonly unknown[] {
  const at = filters.findLastIndex(catchesEverything) + 1;
  return at === 0 ? filters : filters.toSpliced(at, 0, refusals);
}

/**
 * The same for the filters of an application, among which the refusal filter is: it is moved behind the last filter that catches everything,
 * or to the front, where it is tried last.
 * @param isOwn finds it
 */
export function placeAmongGlobals(
  filters: readonly unknown[],
  isOwn: (filter: unknown) => boolean,
): readonly unknown[] {
  const others = filters.filter((filter) => !isOwn(filter));
  return others.toSpliced(others.findLastIndex(catchesEverything) + 1, 0, ...filters.filter(isOwn));
}

/** Whether a filter takes refusals without naming them: `@Catch()`, no `@Catch`, `@Catch(Error)`. */
export function catchesEverything(filter: unknown): boolean {
  const types = typesOf(filter);
  if (types === undefined || types.some(isErrorClass)) return false;
  return types.length === 0 || types.some(isAboveRefusals);
}

/** @returns undefined for a value that is no filter */
function typesOf(filter: unknown): readonly unknown[] | undefined {
  if (typeof filter === 'function') return Reflect.getMetadata(CATCHES, filter) ?? [];
  if (typeof filter !== 'object' || filter === null) return undefined;
  // Nest reads the prototype of each filter in the next moment, also of one that is a Proxy.
  const prototype = Reflect.getPrototypeOf(filter);
  if (prototype === null) return [];
  return Reflect.getMetadata(CATCHES, prototype) ?? Reflect.getMetadata(CATCHES, prototype.constructor) ?? [];
}

function isAboveRefusals(type: unknown): boolean {
  if (typeof type !== 'function') return false;
  const { prototype }: { readonly prototype: unknown } = type;
  for (const level of chainOf(LockNotAcquiredError.prototype)) if (level === prototype) return true;
  return false;
}
