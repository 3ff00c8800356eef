import type { LockService } from '../service/lock.service.js';
import type { CommandContext } from './command.context.js';
import { openLocks } from './open.locks.js';

/** Does something with the library's own service, which is shut down afterwards. */
export async function withLocks<T>(
  { line, session }: Pick<CommandContext, 'line' | 'session'>,
  work: (locks: LockService) => Promise<T>,
): Promise<T> {
  const locks = await openLocks(line, session);
  try {
    return await work(locks);
  } finally {
    await locks.shutDown();
  }
}
