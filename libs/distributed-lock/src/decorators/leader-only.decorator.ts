import { addLeaderMethod } from '../metadata/leader.registry.js';
import { readReturnKind } from '../metadata/return.kind.js';
import { checkOptionNames, invalidOption, optionNames } from '../options/option.checks.js';
import { checkStaticKey } from '../guards/key.mistakes.js';
import { checkTarget } from './decoration.target.js';
import { leaderCall } from './leader.call.js';
import type { LeaderDecorator, LeaderOnlyOptions } from './leader.types.js';
import type { InstanceMethod } from './method.call.js';
import { wrapMethod } from './method.wrapper.js';
import { injectService } from './service.property.js';

const DECORATOR = '@LeaderOnly';

/** There is one leader for all calls; what needs a lock for each has another decorator. */
const EXAMPLE = '@DistributedLock((id) => `account:${id}`)';
const OPTIONS = optionNames<LeaderOnlyOptions>({ otherwise: true, service: true });
/** A placeholder for an argument, as in keys of `@DistributedLock`: there is no leader for each value of an argument. */
const PLACEHOLDER = /\{\d/;

/**
 * Runs the method only on the instance that leads `key`, in the scope of the leader's lock: `currentLock()` has
 * its `signal` and fencing `token`. On other instances a call ends at once, without a call to Redis: it returns
 * `undefined`; if `otherwise` is `'throw'`, it rejects.
 *
 * An application with such a method joins the election of `key` when it starts, and leaves it at its shutdown.
 * Several methods with the same key share one candidate. Works above or below other decorators, such as `@Cron`, on
 * every class that Nest instantiates, and on objects from `useFactory` and `useValue` once the application has
 * started. The method must return a promise or an Observable. For an Observable, declare `: Observable<…>` as the
 * return type. Inside `applyDecorators()` write `LeaderOnly(…) as MethodDecorator`, which disables the type check of
 * the method.
 *
 * Errors of a call:
 *
 * - `LockNotAcquiredError` of code `NOT_LEADER`: `otherwise` is `'throw'`, and this instance does not lead.
 * - `LockConfigurationError`, by its code:
 *   - `NOT_BOUND`: the object of the method has no `LockService`.
 *   - `NOT_ASYNC`: the end of the result cannot be detected, as for a synchronous iterator.
 *
 * @param key the name of the leader's lock, the same for all calls; see `LockService.elect`
 * @param options each option documents its default
 * @throws LockConfigurationError when the decorator is applied, for invalid options and targets
 */
export function LeaderOnly<S extends 'skip' | 'throw' = 'skip'>(
  key: string,
  options: LeaderOnlyOptions<S> = {},
): LeaderDecorator<S> {
  return (target: object, methodKey: string | symbol, descriptor: PropertyDescriptor) => {
    const where = checkTarget(DECORATOR, target, methodKey, descriptor);
    const method: InstanceMethod<readonly unknown[]> = descriptor.value;
    check(key, options, where);
    checkStaticKey(key, { where, fill: undefined, example: EXAMPLE }, method);
    const returns = readReturnKind(target, methodKey, method);
    descriptor.value = wrapMethod(method, leaderCall({ method, where, returns, key, options }));
    injectService(target, options.service);
    const skips = options.otherwise === 'throw' ? undefined : "otherwise: 'skip'";
    addLeaderMethod(target, { decorator: DECORATOR, methodKey, key, options, returns, skips, where });
  };
}

function check(key: unknown, options: LeaderOnlyOptions, where: string): void {
  checkOptionNames(options, OPTIONS, `of ${where}`);
  const { otherwise, service } = options;
  if (typeof key !== 'string' || key === '') throw invalidOption(`The key of ${where} must be a name.`);
  if (PLACEHOLDER.test(key))
    throw invalidOption(
      `The key "${key}" of ${where} cannot have arguments: there is one leader for all calls.`,
    );
  const given: unknown = otherwise;
  if (given !== undefined && given !== 'skip' && given !== 'throw')
    throw invalidOption(`otherwise of ${where} must be "skip" or "throw", not ${String(given)}.`);
  if (service !== undefined && (typeof service !== 'string' || service === ''))
    throw invalidOption(`service of ${where} must be the name of a module instance.`);
}
