import { AsyncLocalStorage } from 'node:async_hooks';
import type { CurrentLock } from '../contracts/lock.contract.js';

/** A hold as a scope knows it. */
export interface ScopedHold {
  /** Whose hold it is: two module instances of one process do not see each other's. */
  readonly context: object;
  /** Which lock, and which side of it. */
  readonly id: string;
  /** Whether it can be re-entered. A scope may outlive its hold; then it cannot be re-entered. */
  readonly isLive: boolean;
}

/** One step into a scope: what is held here, and the scope around it. */
export interface ScopeFrame {
  readonly hold: ScopedHold;
  /** The lock's name: of one of several that are held as one it is not its handle's. */
  readonly name: string;
  /** The handle that `currentLock()` gives. */
  readonly handle: CurrentLock;
  readonly around: ScopeFrame | undefined;
}

/** Runs something in the scope of a hold. */
export type InScope = <T>(work: () => T) => T;

const STORAGE = Symbol.for('nestjs-distributed-lock.scope');

const shared: typeof globalThis & { [STORAGE]?: AsyncLocalStorage<ScopeFrame> } = globalThis;

/** `currentLock()` has no service to call, and may be called from another copy of this package: one storage per process. */
const storage = (shared[STORAGE] ??= new AsyncLocalStorage<ScopeFrame>());

/** The innermost frame around the caller; undefined outside of any scope, where most callers are. */
export function currentFrame(): ScopeFrame | undefined {
  return storage.getStore();
}

/** Runs `work` inside `hold`. */
export function runInScope<T>(hold: ScopedHold, handle: CurrentLock, work: () => T, name = handle.name): T {
  const frame = currentFrame();
  // Leading work that begins its next round inside of the last one is in the same scope: it would keep one for each round.
  const isSame = frame !== undefined && frame.handle === handle && frame.hold === hold && frame.name === name;
  return storage.run({ hold, name, handle, around: isSame ? frame.around : surroundings(frame) }, work);
}

/**
 * Of scopes that outlived their holds only the innermost is kept, so that code inside learns of a loss: a loop that begins its
 * next round inside of the last one would keep them all.
 */
function surroundings(frame: ScopeFrame | undefined): ScopeFrame | undefined {
  if (frame === undefined || frame.hold.isLive) return frame;
  let live = frame.around;
  while (live !== undefined && !live.hold.isLive) live = live.around;
  return { ...frame, around: live };
}

/** The innermost live hold of the lock `id` around the caller. */
export function findHold(owner: object, id: string): ScopedHold | undefined {
  return find((hold) => hold.id === id && hold.context === owner && hold.isLive)?.hold;
}

/** Whether the caller runs inside any live hold of `owner`. */
export function isInside(owner: object): boolean {
  return find((hold) => hold.context === owner && hold.isLive) !== undefined;
}

/** Whether the caller runs in the scope of that handle, be its hold alive or not. */
export function isUnder(handle: CurrentLock): boolean {
  return find((_hold, frame) => frame.handle === handle) !== undefined;
}

function find(matches: (hold: ScopedHold, frame: ScopeFrame) => boolean): ScopeFrame | undefined {
  for (let frame = currentFrame(); frame !== undefined; frame = frame.around) {
    if (matches(frame.hold, frame)) return frame;
  }
  return undefined;
}
