import { defer, isObservable, lastValueFrom, type ObservableInput } from 'rxjs';
import type { GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';
import type { ReturnKind } from '../contracts/return.kind.js';
import { takeTick } from '../contracts/tick.frame.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { GuardedSection } from '../service/guarded.section.js';
import { promiseThrough } from '../service/section.loan.js';
import { streamThrough, type Section } from '../service/section.stream.js';
import { serviceOf } from './service.property.js';

export type GuardedFunction<A extends readonly unknown[]> = (this: object, ...args: A) => unknown;

/** What one `@DistributedLock` knows of its method. */
export interface GuardPlan<A extends readonly unknown[]> {
  readonly methodKey: string | symbol;
  readonly method: GuardedFunction<A>;
  /** Class and method, for messages. */
  readonly where: string;
  readonly returns: ReturnKind;
  readonly options: TickOptions & Pick<GuardOptions, 'service'>;
  readonly section: GuardedSection<A>;
  readonly keyOf: (args: A) => LockNames;
}

/** What a call of a guarded method does: the run of a tick, or the method under its lock. */
export class GuardedCall<A extends readonly unknown[]> {
  constructor(private readonly plan: GuardPlan<A>) {}

  /** The function that takes the method's place; async where the method is not known to give an Observable. */
  asFunction(): GuardedFunction<A> {
    const { plan } = this;
    const run = (instance: object, args: A, stream: boolean) => this.#run(instance, args, stream);
    if (plan.returns === 'observable') {
      return function guarded(...args) {
        return run(this, args, true);
      };
    }
    return async function guarded(...args) {
      return await run(this, args, false);
    };
  }

  #run(instance: object, args: A, stream: boolean): unknown {
    const tick = takeTick(instance, this.plan.methodKey);
    const call = () => this.#call(instance, args);
    if (tick !== undefined) return tick.run(async () => await ended(call()));
    const section: Section = (work, signal) => {
      const { locks, names } = this.#find(instance, args);
      return this.plan.section.enter({ locks, names, args, signal }, work);
    };
    return stream
      ? defer(() => streamThrough(section, call))
      : promiseThrough(section, async () => await call());
  }

  #find(instance: object, args: A) {
    const { options, where, keyOf } = this.plan;
    return { locks: serviceOf(instance, options.service, where), names: keyOf(args) };
  }

  /** @throws LockConfigurationError `NOT_ASYNC` */
  #call(instance: object, args: A): ObservableInput<unknown> {
    const { method, where } = this.plan;
    const result: unknown = Reflect.apply(method, instance, args);
    if (isObservable(result) || isPromise(result)) return result;
    throw new LockConfigurationError('NOT_ASYNC', `${where} gave neither a promise nor an Observable.`);
  }
}

/** A run of a tick is over when what it returned is. */
async function ended(input: ObservableInput<unknown>): Promise<unknown> {
  return isObservable(input) ? await lastValueFrom(input, { defaultValue: undefined }) : await input;
}

function isPromise(result: unknown): result is PromiseLike<unknown> {
  return (
    typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
  );
}
