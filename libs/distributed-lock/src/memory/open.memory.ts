import type { LockSettings } from '../contracts/settings.js';
import { NoticeBoard } from '../events/notice.board.js';
import type { HolderIds } from '../core/holder.ids.js';
import { RedLocks } from '../groups/red.lock.js';
import type { LockService } from '../service/lock.service.js';
import { logNotices } from '../startup/notice.logger.js';
import { engineOn, type EngineParts, type OpenEngine } from '../startup/open.engine.js';
import { serviceOn } from '../startup/open.service.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { MemoryBackend } from './memory.backend.js';
import { MemoryConnection } from './memory.connection.js';
import { memorySession } from './memory.session.js';
import type { MemoryStore } from './memory.store.js';

/**
 * Builds the locks of one module instance on a memory store: all but the store is the code that runs on Redis.
 * @param ids whose holder ids its locks have, for a holder that a test has named
 */
export function openMemoryService(settings: LockSettings, store: MemoryStore, ids?: HolderIds): LockService {
  const notices = new NoticeBoard();
  const log = logNotices();
  notices.listen((notice) => {
    // A unit test without a scheduler calls scheduled methods itself, and need not be warned of it.
    if (notice.kind !== 'no-scheduler') log(notice);
  });
  const parts: EngineParts = { wheel: new TimerWheel(), notices, ...(ids && { ids }) };
  // A test that runs all of its faked timers would never end.
  const own = { ...settings, instanceInfo: false };
  const open = openEngine(own, store, parts);
  return serviceOn(open, redLocksOn(open, own, store, parts), () => Promise.resolve(memorySession(store)));
}

/** Red locks stand on servers of their own, which know nothing of each other. */
function redLocksOn(
  { engine }: OpenEngine<MemoryBackend>,
  settings: LockSettings,
  store: MemoryStore,
  parts: EngineParts,
) {
  const backends = store.servers.map((server) => ({
    ...openEngine(settings, server, parts),
    trouble: undefined,
  }));
  const locks = new RedLocks(engine.context, backends, settings.redLockRestartDelay);
  return {
    locks,
    close: async () => void (await Promise.all(backends.map(({ connections }) => connections.close()))),
  };
}

function openEngine(
  settings: LockSettings,
  store: MemoryStore,
  parts: EngineParts,
): OpenEngine<MemoryBackend> {
  // The holders that a test has named are not in the application whose connection it takes away.
  const connection = parts.ids === undefined ? store.connection : new MemoryConnection();
  return engineOn(new MemoryBackend(store, connection), settings, parts);
}
