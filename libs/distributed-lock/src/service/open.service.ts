import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockSettings } from '../contracts/settings.js';
import { NoticeBoard } from '../events/notice.board.js';
import { HolderIds } from '../holders/holder.ids.js';
import type { LockContext } from '../locks/lock.context.js';
import { LockEngine } from '../locks/lock.engine.js';
import { lockKinds } from '../locks/lock.kinds.js';
import { Retirement } from '../locks/retirement.js';
import { TickRunner } from '../locks/tick.runner.js';
import { readTemplate, type RedisSource } from '../redis/client.factory.js';
import { ConnectionPair } from '../redis/connection.pair.js';
import { Watchdog } from '../renewal/watchdog.js';
import { ScriptCaller } from '../scripts/script.caller.js';
import { ScriptRunner } from '../scripts/script.runner.js';
import { TickScripts } from '../scripts/tick.scripts.js';
import { StoreClock } from '../timing/store.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { ChannelSubscriptions } from '../waiting/channel.subscriptions.js';
import { LockService } from './lock.service.js';
import { logNotices } from './notice.logger.js';

/** Sharded channels belong to cluster deployments that ask for them; until then every deployment publishes the classic way. */
const PUBLISH = 'PUBLISH';

/**
 * Builds the locks of one module instance, on two connections of its own.
 * @throws LockUnavailableError when Redis cannot be reached, unless the source says `lazyConnect`
 */
export async function openLockService(settings: LockSettings, source: RedisSource): Promise<LockService> {
  const template = readTemplate(source);
  const wheel = new TimerWheel();
  const connections = new ConnectionPair(template, wheel, settings.commandTimeout);
  await connections.open();

  const runner = new ScriptRunner(connections.commands, wheel, settings.commandTimeout);
  const outside = AsyncLocalStorage.snapshot();
  const notices = new NoticeBoard();
  notices.listen(logNotices());
  // What ioredis would put before keys, but not before channels, is put before names: then both agree.
  const mapName = (name: string) => template.keyPrefix + settings.mapName(name);
  const context: LockContext = {
    settings: { ...settings, mapName },
    kinds: lockKinds(new ScriptCaller(runner, PUBLISH)),
    wheel,
    ids: new HolderIds(),
    watchdog: new Watchdog(wheel, settings.watchdogTimeout),
    subscriptions: new ChannelSubscriptions(connections.subscriber),
    notices,
    countsFleet: !template.isCluster,
    retirement: new Retirement(wheel, outside),
    outside,
  };
  const clock = new StoreClock();
  const engine = new LockEngine(context);
  return new LockService(engine, new TickRunner(engine, new TickScripts(runner, clock, PUBLISH), clock), () =>
    connections.close(),
  );
}
