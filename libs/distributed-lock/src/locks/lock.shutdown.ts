import { LockLostError, LockUnavailableError } from '../errors/lock.errors.js';
import type { LockEngine } from './lock.engine.js';

/** How long aborted work may take to let go of its locks, in ms. */
const LET_GO = 1000;

/**
 * Lets the running work end, then aborts it, then frees what is still ours. Locks are renewed until the last moment:
 * nobody else may come in while work of ours is running.
 */
export async function shutDown(engine: LockEngine): Promise<void> {
  const { context } = engine;
  const pause = (delay: number) =>
    new Promise<'late'>((resolve) => context.wheel.after(delay, () => resolve('late')));
  engine.refuseNewcomers();
  if ((await Promise.race([engine.idle(), pause(context.settings.shutdownTimeout)])) === 'late') {
    for (const { hold, names } of engine.lines.values()) {
      hold?.abort(new LockLostError(names.name, 'the application is shutting down'));
    }
    await Promise.race([engine.idle(), pause(LET_GO)]);
  }
  for (const line of engine.lines.values()) {
    const { hold, names } = line;
    line.refuse(
      () =>
        new LockUnavailableError(
          names.name,
          `Lock "${names.name}" was not granted.`,
          undefined,
          'SHUTTING_DOWN',
        ),
    );
    if (hold === undefined) continue;
    hold.lose('the application has shut down');
    void context.retirement.retire({ names, holder: hold.lease.holder, lease: hold.lease.ttl });
  }
  await Promise.race([context.retirement.idle(), pause(context.settings.commandTimeout)]);
}
