import type { LockSettings } from '../contracts/settings.js';
import { NoticeBoard } from '../events/notice.board.js';
import type { LockService } from '../service/lock.service.js';
import { logNotices } from '../service/notice.logger.js';
import { engineOn } from '../service/open.engine.js';
import { serviceOn } from '../service/open.service.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { MemoryGround } from './memory.ground.js';
import type { MemoryStore } from './memory.store.js';

/** Builds the locks of one module instance on a memory store: all but the store is the code that runs on Redis. */
export function openMemoryService(settings: LockSettings, store: MemoryStore): LockService {
  const notices = new NoticeBoard();
  notices.listen(logNotices());
  return serviceOn(engineOn(new MemoryGround(store), settings, { wheel: new TimerWheel(), notices }));
}
