import type { ModulesContainer } from '@nestjs/core';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';

/**
 * Refuses a second instance of one name in one application, before either is connected. Nest makes an
 * instance of each `forRoot()` call, and what one of them holds is unknown to the other: work that asks again
 * for its own lock would be refused.
 *
 * @param name undefined: the unnamed instance
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function refuseSecondInstance(modules: ModulesContainer, name: string | undefined): void {
  const token = lockServiceToken(name);
  const count = [...modules.values()].filter(({ providers }) => providers.has(token)).length;
  if (count < 2) return;
  const which = token === lockServiceToken() ? 'without a name' : `named "${name}"`;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `DistributedLockModule ${which} is imported ${count} times, but a lock that one instance holds is unknown to the others.`,
    undefined,
    undefined,
    'Call forRoot() once, in the root module, or give each further instance a name of its own.',
  );
}
