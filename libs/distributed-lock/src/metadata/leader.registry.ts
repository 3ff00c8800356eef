import { MethodRegistry, type MethodEntry } from './method.registry.js';

/** One `@LeaderOnly`. */
export interface LeaderEntry extends MethodEntry {
  readonly key: string;
}

const LEADERS = new MethodRegistry<LeaderEntry>(Symbol.for('nestjs-distributed-lock.leaders'));

/** Notes a method of `prototype` that only the leader runs. */
export function addLeaderMethod(prototype: object, entry: LeaderEntry): void {
  LEADERS.add(prototype, entry);
}

/** Those methods of a class, as {@link MethodRegistry.read} finds them. */
export function readLeaderMethods(prototype: object): LeaderEntry[] {
  return LEADERS.read(prototype);
}
