import type { DashboardAnswer } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { Store } from '../store.js';

export interface Toast {
  readonly id: number;
  readonly isError: boolean;
  readonly message: string;
}

const MOST = 4;
/** How long a good answer is shown, in ms. An error stays until it is closed. */
const SHOWN = 8000;

/** The answers of actions that are shown now. */
export class ToastList {
  readonly shown = new Store<readonly Toast[]>([]);
  private lastId = 0;

  add({ isDone, message }: DashboardAnswer): void {
    this.lastId += 1;
    const toast = { id: this.lastId, isError: !isDone, message };
    this.shown.set([...this.shown.get(), toast].slice(-MOST));
    if (isDone) setTimeout(() => this.remove(toast.id), SHOWN);
  }

  remove(id: number): void {
    this.shown.set(this.shown.get().filter((toast) => toast.id !== id));
  }
}
