import type { HandleOwner } from './handle.js';
import type { LockContext } from '../core/lock.context.js';

/** Whose lease it is. */
type LeaseHolder = Pick<HandleOwner, 'target' | 'lease' | 'run'> & { readonly owner: LockContext };

/** Tells listeners what became of a question about a lease. @param why of `unknown` */
export function tellOfLease(event: 'renewed' | 'unknown', holder: LeaseHolder, why = ''): void {
  const { owner, target, lease, run } = holder;
  const { events } = owner.notices;
  const kind = run === undefined ? target.kind.id : 'tick';
  const told = { lock: target.name, kind, holder: lease.holder } as const;
  if (event === 'renewed') events.tell(event, told);
  else events.tell(event, { ...told, why });
}
