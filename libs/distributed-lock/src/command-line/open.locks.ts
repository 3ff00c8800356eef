import type { ServerSession } from '../connections/server.session.js';
import type { LockService } from '../service/lock.service.js';
import { openLockService } from '../startup/open.service.js';
import { readSettings } from '../startup/settings.reader.js';
import type { CommandLine } from './command.line.js';

/** The library's own service, for commands that do more than read. Its opener shuts it down. */
export async function openLocks(
  { prefix }: Pick<CommandLine, 'prefix'>,
  session: Pick<ServerSession, 'source'>,
): Promise<LockService> {
  const settings = readSettings({
    namePrefix: prefix,
    appName: 'nestjs-distributed-lock',
    shutdownTimeout: 0,
    serverCheck: false,
    instanceInfo: false,
  });
  return await openLockService(settings, session.source);
}
