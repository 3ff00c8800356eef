import type { LockInstance } from '../contracts/fleet.contract.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
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

/** The instances that are known. */
export async function knownInstances(
  context: Pick<CommandContext, 'line' | 'session'>,
): Promise<LockInstance[]> {
  return await withLocks(context, instancesIn);
}

/** The instances that are known. None where Redis refuses to read them: what else a command shows does not depend on them. */
export async function instancesIn({ fleet }: LockService): Promise<LockInstance[]> {
  try {
    return await fleet.instances();
  } catch (error) {
    if (error instanceof LockUnavailableError) return [];
    throw error;
  }
}
