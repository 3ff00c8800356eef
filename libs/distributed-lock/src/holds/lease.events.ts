import type { HandleOwner } from './handle.js';
import type { LockContext } from '../core/lock.context.js';

/** Whose lease it is. */
type LeaseHolder = Pick<HandleOwner, 'target' | 'lease' | 'run'> & { readonly context: LockContext };

/** Emits the event of a renewal. @param why of `unknown` */
export function emitLeaseEvent(event: 'renewed' | 'unknown', holder: LeaseHolder, why = ''): void {
  const { context, target, lease, run } = holder;
  const { events } = context.notices;
  const kind = run === undefined ? target.kind.id : 'tick';
  const told = { lock: target.name, kind, holder: lease.holder } as const;
  if (event === 'renewed') events.emit(event, told);
  else events.emit(event, { ...told, why });
}
