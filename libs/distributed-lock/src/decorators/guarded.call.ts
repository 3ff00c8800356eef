import { isObservable } from 'rxjs';
import type { GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';
import type { GuardEntry } from '../metadata/guard.registry.js';
import { leavesResponse, patternOf } from '../metadata/handler.metadata.js';
import { takeCall } from '../metadata/schedule.fires.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { runToEnd } from '../work/lasting.work.js';
import type { GuardedScope } from '../guards/guarded.scope.js';
import type { LockService } from '../service/lock.service.js';
import type { ScopeRunner } from '../guards/scope.stream.js';
import { whenSent } from '../guards/sent.response.js';
import { runThrough, standIn, type InstanceMethod, type WrappedMethod } from './method.call.js';
import { serviceReader } from './service.property.js';

/** What one `@DistributedLock` knows of its method. */
export interface GuardPlan<A extends readonly unknown[]> extends WrappedMethod<A> {
  readonly guard: () => GuardEntry;
  readonly options: TickOptions & Pick<GuardOptions, 'service'>;
  readonly scope: GuardedScope<A>;
  readonly keyOf: (args: A) => LockNames;
  /** The index of the response among its arguments, if it does not leave it to Nest. */
  readonly responseAt: number | undefined;
}

/** What a call of a guarded method does: the run of a tick, or the method under its lock. */
export class GuardedCall<A extends readonly unknown[]> {
  readonly #serviceOf: (instance: unknown) => LockService;

  constructor(private readonly plan: GuardPlan<A>) {
    this.#serviceOf = serviceReader(plan.options.service, plan.where);
  }

  /** The function that takes the method's place. */
  asFunction(): InstanceMethod<A> {
    return standIn(this.plan, (instance, args, stream) => this.#run(instance, args, stream));
  }

  #run(instance: object, args: A, stream: boolean): unknown {
    const { plan } = this;
    const kind = takeCall(plan.guard(), instance);
    const call = () => this.#call(instance, args);
    if (typeof kind === 'object') return kind.run(async () => await runToEnd(call()));
    const section: ScopeRunner = (work, signal) => {
      if (kind === 'unclear') return Promise.reject(unclear(plan.where));
      const locks = this.#serviceOf(instance);
      const names = plan.keyOf(args);
      const pattern = () => patternOf(this.#handlerOf(instance));
      return plan.scope.enter({ locks, names, args, signal, patternOf: pattern }, work);
    };
    const { where } = plan;
    const unclaimed = () =>
      this.#serviceOf(instance).engine.context.notices.post({ kind: 'unclaimed-stream', where });
    return runThrough({ scope: section, call, where, unclaimed }, stream);
  }

  /** Calls the method. If the method sends the response by itself, the call ends when that has been sent. */
  #call(instance: object, args: A): unknown {
    const { method, responseAt } = this.plan;
    const result: unknown = Reflect.apply(method, instance, args);
    if (responseAt === undefined || isObservable(result) || !leavesResponse(this.#handlerOf(instance)))
      return result;
    return sent(result, args[responseAt]);
  }

  /** What Nest calls: a decorator above may have replaced the function, and noted more at it. */
  #handlerOf(instance: object): unknown {
    return Reflect.get(instance, this.plan.guard().methodKey);
  }
}

function unclear(where: string): LockConfigurationError {
  return new LockConfigurationError(
    'UNCLEAR_CALL',
    `The schedule of ${where} has fired, and no call was recognized as the tick. This call is either that tick or a direct call, so the method was not run.`,
  );
}

async function sent(result: unknown, response: unknown): Promise<unknown> {
  const settled = await result;
  await whenSent(response);
  return settled;
}
