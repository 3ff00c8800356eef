import type { GuardEntry } from '../metadata/guard.registry.js';
import type { Schedule } from './schedule.metadata.js';

/** A method that is guarded and has a schedule, of one instance. */
export interface ScheduledMethod {
  readonly instance: object;
  readonly guard: GuardEntry;
  /** The function that the scheduler calls: the guard, or a decorator around it. */
  readonly method: object;
  /** Class and method, for messages. */
  readonly where: string;
  /** The name of the job, and of its lock. */
  readonly job: string;
  readonly options: GuardEntry['options'];
  readonly schedule: Schedule;
}
