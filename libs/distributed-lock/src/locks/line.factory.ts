import { ExclusiveLine } from './exclusive.line.js';
import type { LineHome } from './line.book.js';
import type { LineForm } from './lock.kind.js';
import type { LockLine } from './lock.line.js';
import type { LockTarget } from './lock.target.js';
import { QueuedLine } from './queued.line.js';
import { SharedLine } from './shared.line.js';

const FORMS = { exclusive: ExclusiveLine, queued: QueuedLine, shared: SharedLine } satisfies Record<
  LineForm,
  unknown
>;

/** A line of the form that the target's kind has. */
export function makeLine(home: LineHome<LockLine>, target: LockTarget): LockLine {
  return new FORMS[target.kind.line](home, target);
}
