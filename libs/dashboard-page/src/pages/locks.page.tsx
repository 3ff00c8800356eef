import { useEffect, useState } from 'preact/hooks';
import type {
  DashboardLock,
  LocksEvent,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useCanAct } from '../board.js';
import { visibleText } from '../format/visible.text.js';
import { LockRow } from '../locks/lock.row.js';
import { UnlockDialog } from '../locks/unlock.dialog.js';
import { EmptyNote, LoadingNote } from '../parts/empty.note.js';
import { replaceRoute } from '../route.hook.js';

interface LocksPageProps {
  readonly prefix: string;
  readonly data: (LocksEvent & { readonly prefix: string }) | undefined;
}

/** A prefix is sent to Redis when no key was pressed for so long, in ms. */
const DEBOUNCE = 300;

export function LocksPage({ prefix, data }: LocksPageProps) {
  const isSearching = data?.prefix !== prefix;
  return (
    <>
      <h1 tabIndex={-1}>Locks</h1>
      <div class="toolbar">
        <PrefixField prefix={prefix} />
        {data === undefined ? null : (
          <span class="muted" role="status">
            {isSearching ? 'reading …' : countText(data)}
          </span>
        )}
      </div>
      {data === undefined ? <LoadingNote /> : null}
      {data === undefined || data.locks.length > 0 ? null : <NoLocks prefix={data.prefix} />}
      {data === undefined || data.locks.length === 0 ? null : <LocksTable data={data} />}
      {data?.isCut === true ? <p class="cut">There are more: give a longer prefix.</p> : null}
    </>
  );
}

function countText({ locks, isCut }: LocksEvent): string {
  if (isCut) return `the first ${locks.length}`;
  return locks.length === 1 ? '1 lock' : `${locks.length} locks`;
}

function PrefixField({ prefix }: { readonly prefix: string }) {
  const [typed, setTyped] = useState(prefix);
  useEffect(() => setTyped(prefix), [prefix]);
  useEffect(() => {
    if (typed === prefix) return undefined;
    const timer = setTimeout(() => replaceRoute({ page: 'locks', prefix: typed }), DEBOUNCE);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      class="field mono"
      type="search"
      aria-label="Beginning of the name"
      placeholder="Name begins with"
      autocapitalize="off"
      spellcheck={false}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

function LocksTable({ data: { at, locks } }: { readonly data: LocksEvent }) {
  const canAct = useCanAct();
  const [unlocked, setUnlocked] = useState<DashboardLock>();
  return (
    <>
      <table class="cards locks">
        <caption class="unseen">Locks, semaphores and latches in Redis</caption>
        <thead>
          <tr>
            <th scope="col" class="col-name">
              Name
            </th>
            <th scope="col" class="col-kind">
              Kind
            </th>
            <th scope="col">Held by</th>
            <th scope="col" class="col-lease">
              Lease
            </th>
            <th scope="col" class="col-waiting">
              Waiting
            </th>
            <th scope="col" class="col-number" title="Permits of a semaphore, or the count of a latch">
              Remaining
            </th>
            {canAct ? (
              <th scope="col" class="col-action">
                <span class="unseen">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {locks.map((lock) => (
            <LockRow key={lock.key} lock={lock} at={at} canAct={canAct} onUnlock={setUnlocked} />
          ))}
        </tbody>
      </table>
      {unlocked === undefined ? null : (
        <UnlockDialog lock={unlocked} onClosed={() => setUnlocked(undefined)} />
      )}
    </>
  );
}

function NoLocks({ prefix }: { readonly prefix: string }) {
  return prefix === '' ? (
    <EmptyNote title="No locks">
      <p>Nothing is held or waited for now. A lock is in Redis only while it is held.</p>
    </EmptyNote>
  ) : (
    <EmptyNote title="No locks with this prefix">
      <p>
        No name of a lock that is held begins with <bdi class="mono">{visibleText(prefix)}</bdi>. Capital
        letters count.
      </p>
    </EmptyNote>
  );
}
