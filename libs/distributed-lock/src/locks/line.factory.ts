import { ExclusiveLine } from '../local/exclusive.lock.js';
import type { LineHome } from '../local/local.locks.js';
import type { LineForm } from '../core/lock.kind.js';
import type { LockLine } from '../local/local.lock.js';
import type { LockTarget } from '../core/lock.target.js';
import { QueuedLine } from '../local/fair.lock.js';
import { SharedLine } from '../local/shared.lock.js';

const FORMS = { exclusive: ExclusiveLine, queued: QueuedLine, shared: SharedLine } satisfies Record<
  LineForm,
  unknown
>;

/** A line of the form that the target's kind has. */
export function makeLine(home: LineHome<LockLine>, target: LockTarget): LockLine {
  return new FORMS[target.kind.line](home, target);
}
