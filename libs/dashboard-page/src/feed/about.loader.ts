import type { DashboardAbout } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { Store } from '../store.js';

/** Reads what does not change while the page is open, and repeats it until there is an answer: once a connection is there, so is this. */
export async function loadAbout(root: string, about: Store<DashboardAbout | undefined>): Promise<void> {
  for (let pause = 1000; ; pause = Math.min(30_000, pause * 2)) {
    const answer = await readAbout(`${root}api/about`);
    if (answer !== undefined) {
      about.set(answer);
      return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
    });
  }
}

async function readAbout(url: string): Promise<DashboardAbout | undefined> {
  try {
    const response = await fetch(url, { cache: 'no-store' });
    return response.ok && !response.redirected ? ((await response.json()) as DashboardAbout) : undefined;
  } catch {
    return undefined;
  }
}
