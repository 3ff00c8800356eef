import type {
  DashboardHolder,
  DashboardLock,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { targetOf } from '../actions/action.sender.js';
import { useBoard } from '../board.js';
import { visibleText } from '../format/visible.text.js';
import { ActionButton } from '../parts/action.button.js';
import { NameText } from '../parts/name.text.js';
import { LeaseLeft } from '../parts/time.text.js';
import { useStore } from '../store.js';

interface LockRowProps {
  readonly lock: DashboardLock;
  /** When it was read. */
  readonly at: number;
  readonly canAct: boolean;
  readonly onUnlock: (lock: DashboardLock) => void;
}

export function LockRow({ lock, at, canAct, onUnlock }: LockRowProps) {
  const { name, key, kind, holders, left, ttl } = lock;
  return (
    <tr>
      <th scope="row">
        <NameText value={name} />
        {key === name ? null : (
          <div class="sub">
            <NameText value={key} isMono />
          </div>
        )}
      </th>
      <td data-label="Kind">{kind}</td>
      <td data-label="Held by">
        {holders.length === 0 ? <span class="muted">not held</span> : <HolderList holders={holders} />}
      </td>
      <td data-label="Lease">
        {ttl === -1 ? <span class="muted">no lease</span> : null}
        {ttl >= 0 ? <LeaseLeft at={at + ttl} /> : null}
      </td>
      <td data-label="Waiting">
        <Waiting lock={lock} />
      </td>
      <td data-label="Remaining" class="number">
        {left}
      </td>
      {canAct ? (
        <td class="cell-actions">
          {isLock(lock) && holders.length > 0 ? <UnlockButton lock={lock} onUnlock={onUnlock} /> : null}
        </td>
      ) : null}
    </tr>
  );
}

/** Permits of a semaphore, and the count of a latch, are not unlocked. */
function isLock({ kind, left }: DashboardLock): boolean {
  return left === undefined && !/semaphore|latch|something else/.test(kind);
}

function UnlockButton({ lock, onUnlock }: Pick<LockRowProps, 'lock' | 'onUnlock'>) {
  const pending = useStore(useBoard().actions.pending);
  return (
    <ActionButton
      of={visibleText(lock.name)}
      label="Unlock …"
      isDangerous
      isPending={pending.has(targetOf({ action: 'unlock', key: lock.key }))}
      onPress={() => onUnlock(lock)}
    />
  );
}

function HolderList({ holders }: { readonly holders: readonly DashboardHolder[] }) {
  return (
    <ul class="plain">
      {holders.map((each) => (
        <li key={each.holder}>
          <Holder holder={each} />
        </li>
      ))}
    </ul>
  );
}

/** By its instance where that reports; the id of the holder is in the title then. */
function Holder({ holder: { holder, instance, count } }: { readonly holder: DashboardHolder }) {
  return (
    <span class="holder">
      {instance === undefined ? (
        <NameText value={holder} isMono />
      ) : (
        <NameText value={instance} title={`${visibleText(instance)} (${visibleText(holder)})`} />
      )}
      {count > 1 ? (
        <span class="muted" title={`Held ${count} times by one holder`}>
          × {count}
        </span>
      ) : null}
    </span>
  );
}

function Waiting({ lock: { waiting, waiters } }: { readonly lock: DashboardLock }) {
  const count =
    waiting === undefined ? (waiters.length === 0 ? '?' : `${waiters.length} known`) : `${waiting}`;
  if (waiters.length === 0)
    return (
      <span
        class={waiting === 0 || waiting === undefined ? 'muted' : undefined}
        title={waiting === undefined ? 'The user of Redis may not read how many wait' : undefined}
      >
        {count}
      </span>
    );
  return (
    <details class="more">
      <summary>{count}</summary>
      <HolderList holders={waiters} />
    </details>
  );
}
