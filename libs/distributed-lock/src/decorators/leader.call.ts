import { LockNotAcquiredError } from '../errors/lock.errors.js';
import type { ScopeRunner } from '../guards/scope.stream.js';
import type { LeaderOnlyOptions } from './leader.types.js';
import { runThrough, standIn, type InstanceMethod, type WrappedMethod } from './method.call.js';
import { serviceReader } from './service.property.js';

/** What one `@LeaderOnly` knows of its method. */
export interface LeaderPlan<A extends readonly unknown[]> extends WrappedMethod<A> {
  readonly key: string;
  readonly options: LeaderOnlyOptions;
}

/** The function that takes the method's place: it runs the method as the leader's work, or not at all. */
export function leaderCall<A extends readonly unknown[]>(plan: LeaderPlan<A>): InstanceMethod<A> {
  const { key, options, where } = plan;
  const serviceOf = serviceReader(options.service, where);
  return standIn(plan, (instance, args, stream) => {
    const section: ScopeRunner = async (work) => {
      const { elections } = serviceOf(instance);
      const leadership = elections.leaderOf(key);
      if (leadership !== undefined) return await leadership.run(work);
      if (options.otherwise === 'throw') throw new LockNotAcquiredError(key, 0, {}, 'NOT_LEADER');
      return undefined;
    };
    const call = () => Reflect.apply(plan.method, instance, args);
    const unclaimed = () =>
      serviceOf(instance).engine.context.notices.post({ kind: 'unclaimed-stream', where });
    return runThrough({ scope: section, call, where, unclaimed }, stream);
  });
}
