import type { ConnectionPair } from '../connections/connection.pair.js';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError, LockUnavailableError } from '../errors/lock.errors.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { QuorumServer } from '../groups/quorum.contract.js';
import { majorityOf } from '../groups/quorum.tally.js';
import { RedLocks } from '../groups/red.lock.js';
import { readTemplate } from '../connections/template.loader.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import type { RedisSource } from '../redis-source/redis-source.reader.js';
import { ServerAge } from '../redis/server.age.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { makeEngine } from './open.engine.js';
import { QuorumNotices } from './quorum.notices.js';

/** The red locks of a module instance, and how to close their connections. */
export interface OpenQuorum {
  readonly locks: RedLocks;
  readonly close: () => Promise<void>;
}

/** One server that has an engine of its own. */
export interface QuorumMember extends QuorumServer {
  readonly connections: Pick<ConnectionPair, 'ready' | 'close'>;
  readonly age: ServerAge;
}

/** What a {@link QuorumMember} is made of. */
interface MemberParts extends Pick<QuorumMember, 'engine' | 'connections' | 'age'> {
  /** For messages. */
  readonly address: string;
}

/**
 * Reads the servers of red locks, before anything is connected.
 * @throws LockConfigurationError `INVALID_OPTION` for fewer than three servers, since two do not survive the loss of one, and for one that is named twice
 */
export async function readQuorum(sources: readonly RedisSource[]): Promise<readonly ClientTemplate[]> {
  if (sources.length === 0) return [];
  const different = new Set(sources).size;
  if (sources.length < 3 || different < sources.length) {
    const said = sources.length < 3 ? `${sources.length}` : `${sources.length}, of which ${different} differ`;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `redLock.servers must name at least three independent servers, not ${said}.`,
    );
  }
  return await Promise.all(sources.map((source, index) => readTemplate(source, serverOption(index))));
}

/** The name of a server for messages. */
function serverOption(index: number): string {
  return `redLock.servers[${index}]`;
}

/** Builds locks on several independent servers. @throws LockUnavailableError when no majority can be reached */
export async function openQuorum(
  settings: LockSettings,
  templates: readonly ClientTemplate[],
  shared: { readonly wheel: TimerWheel; readonly notices: NoticeBoard },
): Promise<OpenQuorum> {
  const notices = new QuorumNotices(shared.notices);
  const members = templates.map((template, index) =>
    makeMember(settings, template, { ...shared, notices, option: serverOption(index) }),
  );
  return await quorumOn(settings, members, shared.notices);
}

/**
 * Builds locks on servers that have their engines. A minority of them may be away, at boot and later; each is connected as soon as it can be
 * reached.
 * @throws LockUnavailableError when no majority can be reached
 */
export async function quorumOn(
  settings: LockSettings,
  members: readonly QuorumMember[],
  notices: NoticeBoard,
): Promise<OpenQuorum> {
  const close = async () => void (await Promise.all(members.map(({ connections }) => connections.close())));
  const [first] = members;
  const ready = await countReady(members);
  if (first === undefined || ready < majorityOf(members.length)) {
    const troubles = members.flatMap(({ trouble = [] }) => trouble).join('; ');
    await close();
    throw new LockUnavailableError(
      undefined,
      `${ready} of the ${members.length} servers of redLock are reachable, and ${majorityOf(members.length)} are needed (${troubles}).`,
    );
  }
  const context = { ...first.engine.context, notices };
  return { locks: new RedLocks(context, members, settings.redLockRestartDelay), close };
}

/** A server of red locks by its parts. */
export function memberOf({ engine, connections, age, address }: MemberParts): QuorumMember {
  return {
    engine,
    connections,
    age,
    get trouble() {
      const { trouble } = age;
      return trouble === undefined ? undefined : `${address} ${trouble}`;
    },
  };
}

function makeMember(
  settings: LockSettings,
  template: ClientTemplate,
  shared: { readonly wheel: TimerWheel; readonly notices: QuorumNotices; readonly option: string },
): QuorumMember {
  const { address } = template;
  const { wheel } = shared;
  // A red lock relies on its majority; the replicas of a server are no part of it.
  const open = makeEngine({ ...settings, replication: undefined }, template, {
    wheel,
    notices: shared.notices.of(address),
    option: shared.option,
  });
  const { lifecycle } = open.connections.commands;
  const age = new ServerAge(lifecycle, wheel, settings.commandTimeout, settings.redLockRestartDelay);
  return memberOf({ ...open, age, address });
}

/** How many servers can be used: the majority, as soon as it is there, or fewer once every server is ready or has failed. */
function countReady(members: readonly QuorumMember[]): Promise<number> {
  const needed = majorityOf(members.length);
  let [ready, failed] = [0, 0];
  return new Promise((resolve) => {
    const check = () => {
      if (ready === needed || ready + failed === members.length) resolve(ready);
    };
    for (const { connections, age } of members) {
      connections
        .ready()
        // Until the age of the server is known it does not count, and the first caller would be refused.
        .then(() => age.requested)
        .then(
          () => (ready += 1),
          () => (failed += 1),
        )
        .finally(check);
    }
  });
}
