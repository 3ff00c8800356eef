import type { WakeSource } from '../acquire/acquire.contract.js';
import { ChannelWakeSource, type ReservedChannel } from '../acquire/channel.wake.source.js';
import { SpinWakeSource } from '../acquire/spin.wake.source.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';
import { isRelease } from '../scripts/lock.messages.js';

/**
 * What wakes the loop of a lock's waiters.
 * @param channel the lock's own, or that of one waiter
 * @param reserved the subscription of that one, where there is one
 */
export function wakeSourceOf(
  context: LockContext,
  target: LockTarget,
  channel: string,
  reserved?: ReservedChannel,
): WakeSource {
  const { publishesRelease, longestSleep, wakes = isRelease } = target.kind;
  if (!publishesRelease) return new SpinWakeSource();
  return new ChannelWakeSource(context, {
    name: channel,
    longestSleep: longestSleep ?? context.settings.watchdogTimeout,
    wakes,
    hasNoOtherListeners: channel !== target.channel,
    counted: target.kind.waitersChannelOf?.(target.key),
    reserved,
  });
}
