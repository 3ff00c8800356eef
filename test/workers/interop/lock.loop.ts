import type { Lock } from 'nestjs-distributed-lock';
import type { Section } from '../../interop/lock.sections.js';

/** What a loop counts with: a client of its own, which the locks know nothing of. */
export interface CounterStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
}

const machineTime = () => Number(process.hrtime.bigint() / 1000n);

/** Takes a lock, adds 1 to a counter that only the lock protects from lost updates, and gives the lock back, while it `shall`. */
export async function lockLoop(
  lock: Pick<Lock, 'lock'>,
  store: CounterStore,
  counter: string,
  shall: (done: number) => boolean,
): Promise<Section[]> {
  const sections: Section[] = [];
  while (shall(sections.length)) {
    const handle = await lock.lock();
    const begin = machineTime();
    await store.set(counter, `${Number(await store.get(counter)) + 1}`);
    sections.push({ begin, end: machineTime(), token: handle.token });
    await handle.unlock();
  }
  return sections;
}
