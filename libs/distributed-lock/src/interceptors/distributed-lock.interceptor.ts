import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { concat, defer, ignoreElements, type Observable } from 'rxjs';
import type { GuardOptions, LockNames } from '../contracts/guard.contract.js';
import {
  answersItself,
  isSse,
  leavesResponse,
  patternOf,
  responsePosition,
} from '../metadata/handler.metadata.js';
import { keyOfMethod } from '../objects/prototype.chain.js';
import { readReturnKind } from '../metadata/return.kind.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import { GUARD_OPTIONS, GuardedScope } from '../guards/guarded.scope.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkStaticKey, REQUEST_KEY } from '../guards/key.mistakes.js';
import { checkKey, readNames } from '../service/choice.checks.js';
import type { LockService } from '../service/lock.service.js';
import { streamThrough, type RunsOn } from '../guards/scope.stream.js';
import { whenSent } from '../guards/sent.response.js';
import { showAs } from '../objects/object.form.js';

/** Options of `@UseDistributedLock` and of the interceptor. */
export interface UseDistributedLockOptions extends GuardOptions<readonly [ExecutionContext]> {
  /**
   * The name of the lock, an array of names for several locks as one, or a function of the request that
   * returns either.
   */
  readonly key: LockNames | ((this: void, context: ExecutionContext) => LockNames);
}

const OPTIONS = optionNames<UseDistributedLockOptions>({
  key: true,
  ...GUARD_OPTIONS,
});

/**
 * Runs handlers under a lock whose name can depend on the request. Applied by `@UseDistributedLock`, or
 * manually: `{ provide: APP_INTERCEPTOR, useFactory: (locks) => new DistributedLockInterceptor(locks, { key }),
 * inject: [LockService] }`.
 *
 * Acquires the lock after guards and before pipes, and holds it until the Observable of the handler completes, fails
 * or is unsubscribed. If a timeout interceptor outside of this one unsubscribes, a handler that returns a promise
 * continues, and the lock is held until the promise settles. The library recognizes such a handler by the keyword
 * `async`, or by its declared return type. If a handler is not `async`, and its return type is missing, `any`, an
 * interface or a union, the library cannot know whether it returns a promise. After a timeout, the library then keeps
 * the lock until the promise of such a handler settles, or its Observable emits the first value. For a body that is
 * streamed after the handler has ended, and for a response that the handler sends itself (`@Res()`), the lock is held
 * until the response has been sent or the client has disconnected.
 *
 * To release the lock at the timeout instead, make the timeout interceptor the inner one: write its decorator above
 * `@UseDistributedLock`, because Nest runs the upper of two interceptors inside the lower one. A handler that returns
 * a promise then continues without the lock.
 */
export class DistributedLockInterceptor implements NestInterceptor {
  static {
    showAs(DistributedLockInterceptor, () => ({ type: 'DistributedLockInterceptor' }));
  }

  readonly #locks: LockService;
  readonly #section: GuardedScope<readonly [ExecutionContext]>;

  /**
   * @param locks the service that acquires the lock
   * @param options each option documents its default
   * @param where the class or method with the interceptor, for messages
   * @throws LockConfigurationError `INVALID_OPTION`
   */
  constructor(
    locks: LockService,
    private readonly options: UseDistributedLockOptions,
    private readonly where = 'a handler',
  ) {
    this.#locks = locks;
    checkInterceptorNames(options, where);
    checkKey(options.key, `The key of @UseDistributedLock on ${where}`);
    checkTexts(options.key, where);
    this.#section = new GuardedScope('interceptor', options, where);
  }

  /**
   * Runs the handler under the lock. Nest calls it.
   * @returns the values of the handler; for errors see {@link UseDistributedLock}
   */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const handler = context.getHandler();
    const runsOn = readRunsOn(context);
    // Named, and refused, only when the response is waited for; the handler is called inside the scope of the lock.
    return defer(() => {
      const names = this.#namesFor(context);
      const entry = {
        locks: this.#locks,
        names,
        args: [context],
        patternOf: () => patternOf(handler),
        answersItself: () => isAnsweredByHandler(context),
      } as const;
      return streamThrough((work, signal) => this.#section.enter({ ...entry, signal }, work), {
        source: () => untilSent(next.handle(), context),
        runsOn,
      });
    });
  }

  #namesFor(context: ExecutionContext): LockNames {
    const { key } = this.options;
    return typeof key === 'function'
      ? readNames(key(context), `The key function of ${this.where} returned`)
      : readNames(key, `The key of ${this.where} resulted in`);
  }
}

/**
 * @param where what the options are bound to, for messages
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkInterceptorNames(options: UseDistributedLockOptions, where: string): void {
  checkOptionNames(options, OPTIONS, `of @UseDistributedLock on ${where}`);
}

/** Whether the handler goes on after an unsubscribe, as far as its declaration tells. */
function readRunsOn(context: ExecutionContext): RunsOn {
  const handler = context.getHandler();
  if (isSse(handler)) return false;
  const { prototype }: { readonly prototype: object } = context.getClass();
  const returns = readReturnKind(prototype, keyOfMethod(prototype, handler), handler);
  return returns === 'unknown' ? 'unknown' : returns !== 'observable';
}

function isAnsweredByHandler(context: ExecutionContext): boolean {
  if (context.getType() !== 'http') return false;
  return answersItself(context.getClass(), methodKeyOf(context), context.getHandler());
}

function methodKeyOf(context: ExecutionContext): string | symbol {
  const { prototype }: { readonly prototype: object } = context.getClass();
  return keyOfMethod(prototype, context.getHandler());
}

/** What the handler gives; where it sends the response by itself, not over before that has been sent. */
function untilSent(given: Observable<unknown>, context: ExecutionContext): Observable<unknown> {
  if (context.getType() !== 'http' || !leavesResponse(context.getHandler())) return given;
  if (responsePosition(context.getClass(), methodKeyOf(context)) === undefined) return given;
  const sent = defer(() => whenSent(context.switchToHttp().getResponse()));
  return concat(given, sent.pipe(ignoreElements()));
}

/** A text is no template here: an interceptor has a request, and no arguments. */
function checkTexts(key: UseDistributedLockOptions['key'], where: string): void {
  if (typeof key === 'function') return;
  for (const each of [key].flat()) {
    checkStaticKey(each, { where, fill: undefined, example: REQUEST_KEY }, undefined);
    const index = /\{\d[^}]*\}?/.exec(each);
    if (index === null) continue;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `The key "${each}" of @UseDistributedLock on ${where} contains "${index[0]}", but an interceptor has no arguments of the handler.`,
      each,
      undefined,
      `Use a function of the request: ${REQUEST_KEY}.`,
    );
  }
}
