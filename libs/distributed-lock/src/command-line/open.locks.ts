import type { ServerSession } from '../connections/server.session.js';
import type { LockService } from '../service/lock.service.js';
import { openLockService } from '../startup/open.service.js';
import { readSettings } from '../startup/settings.reader.js';
import type { CommandLine } from './command.line.js';

/** The name of the command among applications. */
const COMMAND = 'nestjs-distributed-lock';

/**
 * The library's own service, for commands that do more than read. Its opener shuts it down.
 * @param reportedAs the name of the command in the list of instances; undefined for one that is not to be listed
 */
export async function openLocks(
  { prefix, pubsub, timeout }: Pick<CommandLine, 'prefix' | 'pubsub' | 'timeout'>,
  session: Pick<ServerSession, 'source'>,
  reportedAs?: string,
): Promise<LockService> {
  const settings = readSettings({
    namePrefix: prefix,
    pubsub,
    // What holds a lock for long keeps the time of an application: its lease depends on it.
    commandTimeout: reportedAs === undefined ? timeout : undefined,
    appName: reportedAs === undefined ? COMMAND : `${COMMAND} ${reportedAs}`,
    shutdownTimeout: 0,
    serverCheck: false,
    instanceInfo: reportedAs !== undefined,
  });
  return await openLockService(settings, session.source);
}
