import { render } from 'preact';
import type { DashboardAbout } from '../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { ActionSender } from './actions/action.sender.js';
import { ToastList } from './actions/toast.list.js';
import { App } from './app.js';
import { BoardContext } from './board.js';
import { Clock } from './clock.js';
import { loadAbout } from './feed/about.loader.js';
import { LiveFeed } from './feed/live.feed.js';
import { applyTheme, readTheme } from './shell/theme.js';
import { Store } from './store.js';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/table.css';
import './style/cards.css';
import './style/jobs.css';
import './style/job.css';
import './style/dialog.css';

applyTheme(readTheme());

/** The server wrote the path from the page's URL to the root of the board. */
const root = document.documentElement.dataset['root'] ?? './';
const clock = new Clock();
const toasts = new ToastList();
const board = {
  about: new Store<DashboardAbout | undefined>(undefined),
  clock,
  feed: new LiveFeed(root, clock),
  actions: new ActionSender(root, toasts),
  toasts,
};
void loadAbout(root, board.about);

const place = document.getElementById('board');
if (place !== null)
  render(
    <BoardContext value={board}>
      <App />
    </BoardContext>,
    place,
  );
