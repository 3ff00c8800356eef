import type {
  DashboardAction,
  DashboardAnswer,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { Store } from '../store.js';
import { readAnswer } from './action.answer.js';
import type { ToastList } from './toast.list.js';

/** An action that has no answer after this many ms is given up. */
const TIMEOUT = 20_000;

/** Sends actions, one at a time for each job or lock, and shows their answers. */
export class ActionSender {
  /** The jobs and locks with an action under way: see {@link targetOf}. */
  readonly pending = new Store<ReadonlySet<string>>(new Set());

  constructor(
    private readonly root: string,
    private readonly toasts: ToastList,
  ) {}

  /** Never fails: what goes wrong is shown. */
  async send(action: DashboardAction): Promise<void> {
    const target = targetOf(action);
    if (this.pending.get().has(target)) return;
    this.pending.set(new Set([...this.pending.get(), target]));
    const answer = await this.request(action);
    this.pending.set(new Set([...this.pending.get()].filter((each) => each !== target)));
    this.toasts.add(answer);
  }

  private async request(action: DashboardAction): Promise<DashboardAnswer> {
    try {
      const response = await fetch(`${this.root}api/actions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-distributed-lock-dashboard': '1' },
        body: JSON.stringify(action),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      return readAnswer(response, await response.text());
    } catch {
      return {
        isDone: false,
        message: 'The application did not answer. Whether the action was done is not known.',
      };
    }
  }
}

/** The key of an action's job or lock in {@link ActionSender.pending}. */
export function targetOf(action: DashboardAction): string {
  return 'job' in action ? `job:${action.job}` : `lock:${action.key}`;
}
