import { LockConfigurationError } from '../errors/lock.errors.js';
import { slotOf } from '../redis/key.slot.js';
import { prefixName, suffixName } from '../scripts/wire.names.js';

/**
 * In a cluster a lock's keys and channels must lie in one slot; by the naming rule that is shared with Redisson some names'
 * do not: those with a `}` before any `{`, with a `{` that nothing closes, or with an empty pair.
 * @throws LockConfigurationError `INVALID_NAME`
 */
export function checkSlots(name: string, key: string): void {
  const slot = slotOf(key);
  if (slotOf(prefixName('', key)) === slot && slotOf(suffixName(key, '')) === slot) return;
  throw new LockConfigurationError(
    'INVALID_NAME',
    `In a cluster ${JSON.stringify(name).slice(0, 80)} is not a valid lock name: the keys of the lock would have different slots.`,
    name,
    undefined,
    'Close each "{" of the name around at least one character, or remove the braces.',
  );
}
