import type { LockSettings } from '../contracts/settings.js';
import { NoticeBoard } from '../events/notice.board.js';
import { InstanceScripts } from '../instances/instance.scripts.js';
import { TickRunner } from '../ticks/tick.runner.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { RedisSource } from '../redis-source/redis-source.reader.js';
import { openSession, type ServerSession } from '../connections/server.session.js';
import { readTemplate } from '../connections/template.loader.js';
import type { Backend } from '../connections/backend.contract.js';
import { TickScripts } from '../ticks/tick.scripts.js';
import { StoreClock } from '../job-control/store.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { LockService } from '../service/lock.service.js';
import { logNotices } from './notice.logger.js';
import { makeEngine, type OpenEngine } from './open.engine.js';
import { openQuorum, readQuorum, type OpenQuorum } from './open.quorum.js';

/**
 * Builds the locks of one module instance, on two connections of its own, and two more for each server of red locks.
 * @throws LockUnavailableError when Redis cannot be reached, unless the source has `lazyConnect`
 */
export async function openLockService(
  settings: LockSettings,
  source: RedisSource,
  quorum: readonly RedisSource[] = [],
): Promise<LockService> {
  const shared = { wheel: new TimerWheel(), notices: new NoticeBoard() };
  shared.notices.listen(logNotices());
  const [template, servers] = [await readTemplate(source), await readQuorum(quorum)];
  // Which package a URL takes depends on what is installed.
  if (typeof source === 'string')
    shared.notices.post({ kind: 'client-chosen', address: template.address, client: template.client });
  if (template.missesFailover)
    shared.notices.post({ kind: 'failover-undetected', address: template.address });
  const open = makeEngine(settings, template, shared);
  const { connections } = open;
  await connections.open();
  const red = servers.length === 0 ? undefined : await openQuorum(settings, servers, shared).catch(closing);

  async function closing(error: unknown): Promise<never> {
    await connections.close();
    throw error;
  }

  return serviceOn(open, red, () => openSession(source, shared.wheel, settings.commandTimeout));
}

/** The service of locks that are ready for use. */
export function serviceOn(
  { engine, runner, connections }: OpenEngine<Backend>,
  red?: OpenQuorum,
  sessions: () => Promise<ServerSession> = noSession,
): LockService {
  const clock = new StoreClock();
  const ticks = new TickRunner(
    engine,
    new TickScripts(runner, clock, engine.context.settings.namePrefix),
    clock,
  );
  const instances = new InstanceScripts(runner, engine.context.settings.namePrefix);
  const disconnect = async () => {
    await Promise.all([connections.close(), red?.close()]);
  };
  return new LockService({
    ...{ engine, ticks, red: red?.locks, instances },
    openSession: sessions,
    disconnect,
  });
}

/** For a store that has no servers to ask beside its scripts. */
function noSession(): Promise<ServerSession> {
  return Promise.reject(new RedisFailure('refused', 'this store cannot be searched'));
}
