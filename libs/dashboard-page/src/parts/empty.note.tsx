import type { ComponentChildren } from 'preact';
import { useBoard } from '../board.js';
import { useStore } from '../store.js';

interface EmptyNoteProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** What stands where a table has no rows. */
export function EmptyNote({ title, children }: EmptyNoteProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What stands where the first figures have not come. Why they do not come is said above. */
export function LoadingNote() {
  const { connection, trouble } = useStore(useBoard().feed.state);
  const isComing = trouble === undefined && (connection === 'connecting' || connection === 'live');
  return (
    <div class="empty" role="status">
      <p>{isComing ? 'Reading from Redis …' : 'No figures yet'}</p>
    </div>
  );
}
