import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { DashboardAbout } from '../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { ActionSender } from './actions/action.sender.js';
import type { ToastList } from './actions/toast.list.js';
import type { Clock } from './clock.js';
import type { LiveFeed } from './feed/live.feed.js';
import { Store, useStore } from './store.js';

/** What every part of the page may need. */
export interface Board {
  readonly about: Store<DashboardAbout | undefined>;
  readonly clock: Clock;
  readonly feed: LiveFeed;
  readonly actions: ActionSender;
  readonly toasts: ToastList;
}

export const BoardContext = createContext<Board | undefined>(undefined);

export function useBoard(): Board {
  const board = useContext(BoardContext);
  if (board === undefined) throw new Error('useBoard() is called outside of BoardContext');
  return board;
}

/** Whether actions are offered: not before it is known, and never on a board that is read-only. */
export function useCanAct(): boolean {
  return useStore(useBoard().about)?.isReadOnly === false;
}
