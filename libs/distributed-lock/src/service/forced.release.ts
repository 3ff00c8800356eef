import type { LockKinds } from '../core/lock.kinds.js';
import { LockTarget } from '../core/lock.target.js';
import type { HolderView, LockView, ViewKind } from '../lock-list/lock.view.js';
import { NamedLock } from '../locks/named.lock.js';
import type { LockService } from './lock.service.js';

/** The kinds whose waiters are woken in another way than those of a re-entrant lock. */
const KIND_OF: Partial<Record<ViewKind, keyof LockKinds>> = {
  'fair lock': 'fair',
  'read lock': 'read',
  'write lock': 'write',
};

/** Whether others hold the lock than those that an operator was shown: to free it would end a hold that was not meant. */
export function hasChangedHands(
  { holders }: { readonly holders: readonly Pick<HolderView, 'holder'>[] },
  shown: readonly string[],
): boolean {
  return holders.length > 0 && !holders.some(({ holder }) => shown.includes(holder));
}

/**
 * Frees a lock that was found in Redis, whatever this application uses its name for: by its kind, so that the right waiters are woken.
 * @returns false if it was not locked
 * @throws LockUnavailableError
 */
export async function forceUnlock(
  { engine }: Pick<LockService, 'engine'>,
  { name, key, kind }: Pick<LockView, 'name' | 'key' | 'kind'>,
): Promise<boolean> {
  const target = new LockTarget(engine.context.kinds[KIND_OF[kind] ?? 'reentrant'], name, key);
  return await new NamedLock(engine, target, (granted) => granted).forceUnlock();
}
