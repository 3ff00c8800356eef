import { ExclusiveLine } from './exclusive.line.js';
import type { LockContext } from './lock.context.js';
import type { LineForm } from './lock.kind.js';
import type { LockLine } from './lock.line.js';
import type { LockTarget } from './lock.target.js';
import { QueuedLine } from './queued.line.js';
import { SharedLine } from './shared.line.js';

const FORMS = { exclusive: ExclusiveLine, queued: QueuedLine, shared: SharedLine } satisfies Record<
  LineForm,
  unknown
>;

/** A line of the form that the target's kind has. @param idle is told when nobody holds, waits or works any more */
export function makeLine(context: LockContext, target: LockTarget, idle: (line: LockLine) => void): LockLine {
  return new FORMS[target.kind.line](context, target, idle);
}
