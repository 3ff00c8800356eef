import { WakeSignal } from '../acquire/wake.signal.js';
import type { LockContext } from '../core/lock.context.js';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { JobKeys } from './job.keys.js';
import type { JobScripts } from './job.scripts.js';

/** Pauses between checks of a request, in ms: at least, where its instance should have reported by now; and without its channel. */
const PAUSE = { least: 20, deaf: 1000 };

/** For so long after its time a request is still looked at, in ms: a run that was granted for it may begin at this moment. */
const OVERTIME = 1000;

/** What a request needs. */
interface RunRequestParts {
  readonly context: Pick<LockContext, 'isConnected' | 'subscriptions' | 'wheel'>;
  readonly scripts: JobScripts;
  readonly keys: JobKeys;
}

/**
 * Requests a run of a job by hand, and waits until it begins. A request that waits already is joined.
 * @param timeout in ms
 * @param by what the record of the run has as the one that requested it
 * @returns whether it has begun within `timeout`
 * @throws RedisFailure
 */
export async function requestRun(
  { context, scripts, keys }: RunRequestParts,
  timeout: number,
  by: string,
): Promise<boolean> {
  const { subscriptions } = context;
  const signal = new WakeSignal(context.wheel);
  const end = now() + timeout;
  const own = machine.crypto.randomUUID();
  let requestId: string = own;
  const message = { came: false };
  const subscription = subscriptions.subscribe(keys.channel, (text) => {
    if (text !== undefined && text !== `served:${requestId}`) return;
    message.came = true;
    signal.wake();
  });
  try {
    // Every later message about the request is received from here on; without a subscription its state is checked now and then.
    await subscription.acknowledged;
    requestId = await scripts.request(keys, requestId, Math.ceil(timeout), by);
    // The message of the request reaches this process also without a subscription.
    subscriptions.notify(keys.channel, 'look');
    for (;;) {
      message.came = false;
      const state = await scripts.withdraw(keys, requestId);
      if (state.kind !== 'waits') return state.kind === 'served';
      const left = end - now();
      // It goes on for the caller that made it, or that has joined it and waits for longer.
      const isOfOthers = requestId !== own || state.left > OVERTIME;
      if (left <= 0 && isOfOthers && (!state.isGranted || left < -OVERTIME)) return false;
      const until = now() + Math.max(Math.min(state.left, left > 0 ? left : OVERTIME), PAUSE.least);
      do await signal.sleep(Math.min(until - now(), PAUSE.deaf));
      while (!message.came && now() < until && (subscription.isActive || !context.isConnected));
    }
  } finally {
    subscription.release();
  }
}
