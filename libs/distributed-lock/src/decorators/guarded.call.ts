import { isObservable, lastValueFrom, type ObservableInput } from 'rxjs';
import type { GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';
import type { GuardEntry } from '../contracts/guard.registry.js';
import { takeCall } from '../contracts/tick.frame.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { GuardedSection } from '../service/guarded.section.js';
import type { LockService } from '../service/lock.service.js';
import type { Section } from '../service/section.stream.js';
import { callMethod, runThrough, standIn, type InstanceMethod, type WrappedMethod } from './method.call.js';
import { serviceReader } from './service.property.js';

/** What one `@DistributedLock` knows of its method. */
export interface GuardPlan<A extends readonly unknown[]> extends WrappedMethod<A> {
  readonly guard: () => GuardEntry;
  readonly options: TickOptions & Pick<GuardOptions, 'service'>;
  readonly section: GuardedSection<A>;
  readonly keyOf: (args: A) => LockNames;
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
    const call = () => callMethod(plan, instance, args);
    if (typeof kind === 'object') return kind.run(async () => await ended(call()));
    const section: Section = (work, signal) => {
      if (kind === 'unclear') return Promise.reject(unclear(plan.where));
      const locks = this.#serviceOf(instance);
      return plan.section.enter({ locks, names: plan.keyOf(args), args, signal }, work);
    };
    return runThrough(section, call, stream);
  }
}

function unclear(where: string): LockConfigurationError {
  return new LockConfigurationError(
    'UNCLEAR_CALL',
    `${where} was called while a fire of its schedule was still without its call, and nothing tells whether this call is that tick or a direct one. It was not run.`,
  );
}

/** A run of a tick is over when what it returned is. */
async function ended(input: ObservableInput<unknown>): Promise<unknown> {
  return isObservable(input) ? await lastValueFrom(input, { defaultValue: undefined }) : await input;
}
