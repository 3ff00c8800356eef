import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:worker_threads';

/** Resolves when a child process, or a worker thread, has exited, or could not be started. */
export async function whenExited(started: unknown): Promise<void> {
  const one = started as ChildProcess | Worker;
  const isRunning =
    'exitCode' in one
      ? one.exitCode === null && one.signalCode === null && one.pid !== undefined
      : one.threadId !== -1;
  if (isRunning) await new Promise<void>((resolve) => one.once('exit', () => resolve()));
}
