import { ExclusiveLocalLock } from '../local/exclusive.lock.js';
import type { LocalLockHome } from '../local/local.locks.js';
import type { LocalLockForm } from '../core/lock.kind.js';
import type { LocalLock } from '../local/local.lock.js';
import type { LockTarget } from '../core/lock.target.js';
import { FairLocalLock } from '../local/fair.lock.js';
import { SharedLocalLock } from '../local/shared.lock.js';

const FORMS = {
  exclusive: ExclusiveLocalLock,
  queued: FairLocalLock,
  shared: SharedLocalLock,
} satisfies Record<LocalLockForm, unknown>;

/** A line of the form that the target's kind has. */
export function makeLine(home: LocalLockHome<LocalLock>, target: LockTarget): LocalLock {
  return new FORMS[target.kind.form](home, target);
}
