import type { DashboardLock } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useBoard } from '../board.js';
import { ConfirmDialog } from '../parts/confirm.dialog.js';
import { NameText } from '../parts/name.text.js';

/** The most holders that an action names: a read lock can have many. */
const MOST_NAMED = 100;

interface UnlockDialogProps {
  readonly lock: DashboardLock;
  readonly onClosed: () => void;
}

export function UnlockDialog({ lock: { name, key, kind, holders }, onClosed }: UnlockDialogProps) {
  const { actions } = useBoard();
  const shown = holders.slice(0, MOST_NAMED).map(({ holder }) => holder);
  return (
    <ConfirmDialog
      title="Unlock by force?"
      name={name}
      label="Unlock"
      onConfirm={() => void actions.send({ action: 'unlock', key, holders: shown })}
      onClosed={onClosed}
    >
      <p>The {kind} is held by:</p>
      <ul class="dialog-list">
        {holders.map(({ holder, instance }) => (
          <li key={holder}>
            <NameText value={instance ?? holder} isMono={instance === undefined} />
          </li>
        ))}
      </ul>
      <p class="warning">
        The holder is not stopped. It continues to work until it notices the loss at its next renewal or
        check, and in the meantime another one can hold the lock as well.
      </p>
    </ConfirmDialog>
  );
}
