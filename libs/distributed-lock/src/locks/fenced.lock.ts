import type { FencedLock, FencedLockHandle } from '../contracts/lock.contract.js';
import type { Watchable } from '../events/handle.watch.js';
import { FencedScripts } from '../scripts/fenced.scripts.js';
import type { HoldHandle } from '../holds/handle.js';
import { unavailable } from '../core/lock.context.js';
import { NamedLock } from './named.lock.js';
import type { AcquireRequest } from './reentry.js';

/** A lock with fencing tokens (wire format section 8). */
export class TokenLock extends NamedLock<FencedLockHandle> implements FencedLock {
  async getToken(): Promise<bigint | undefined> {
    const { scripts, name } = this.target.kind;
    if (!(scripts instanceof FencedScripts)) throw new TypeError(`a ${name} has no tokens`);
    try {
      return await scripts.currentToken(this.target.key);
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  protected acquire(request: AcquireRequest): Promise<FencedLockHandle & Watchable> {
    return this.engine.acquire(this.target, request).then(withToken);
  }
}

function withToken(grant: HoldHandle): FencedLockHandle & Watchable {
  if (!hasToken(grant)) throw new TypeError(`a grant of "${grant.name}" came without a token`);
  return grant;
}

function hasToken(grant: HoldHandle): grant is HoldHandle & { readonly token: bigint } {
  return grant.token !== undefined;
}
