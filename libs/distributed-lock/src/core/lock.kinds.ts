import type { HolderIds } from './holder.ids.js';
import { FAIR_LIFE, FairScripts } from '../scripts/fair.scripts.js';
import { FencedQueueScripts, FencedScripts } from '../scripts/fenced.scripts.js';
import { isHandoff, isRelease } from '../scripts/lock.messages.js';
import { PermitQueueScripts, PermitScripts } from '../scripts/permit.scripts.js';
import { ProcessQueueScripts } from '../scripts/process-queue.scripts.js';
import { ReadScripts } from '../scripts/read.scripts.js';
import { ReentrantScripts } from '../scripts/reentrant.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { lockChannel, readersChannel, readWriteChannel, semaphoreChannel } from '../scripts/wire.names.js';
import { WRITER_SLEEP, WriteQueueScripts, WriteScripts } from '../scripts/write.scripts.js';
import type { LockKind } from './lock.kind.js';
import { machine } from '../timing/machine.js';

/** A permit has an id of its own, independent of its holder. */
const PERMIT_IDS: LockKind['holderIds'] = {
  next: () => machine.crypto.randomBytes(16).toString('hex'),
  brief: (holder) => holder,
  whole: String,
};

/** Every kind of lock of a module instance. */
export interface LockKinds {
  readonly reentrant: LockKind;
  readonly nonReentrant: LockKind;
  readonly spin: LockKind;
  readonly fenced: LockKind;
  /** The lock of an election: a fenced lock that is held for long. */
  readonly leader: LockKind;
  readonly fair: LockKind;
  readonly nonReentrantFair: LockKind;
  readonly read: LockKind;
  readonly write: LockKind;
  readonly permit: LockKind;
}

/**
 * Defines each kind; the rules are described at {@link LockKind}.
 * @param isCluster then no kind has a queue of processes: while a slot moves, a server refuses scripts of two keys
 */
export function lockKinds(runner: ScriptRunner, holderIds: HolderIds, isCluster = false): LockKinds {
  const reentrant: LockKind = {
    id: 'reentrant',
    name: 're-entrant lock',
    family: 're-entrant lock',
    scripts: new ReentrantScripts(runner, !isCluster),
    holderIds,
    channelOf: lockChannel,
    form: 'exclusive',
    reentry: 'counted',
    reusesHolderId: true,
    marksWaiters: false,
    publishesRelease: true,
    queue: isCluster ? undefined : new ProcessQueueScripts(runner),
  };
  const fair: LockKind = {
    ...reentrant,
    queue: undefined,
    id: 'fair',
    name: 'fair lock',
    family: 'fair lock',
    scripts: new FairScripts(runner),
    form: 'queued',
    reusesHolderId: false,
    marksWaiters: true,
    wakes: (payload) => isRelease(payload) || isHandoff(payload),
    // Given by a message, whose receiver may be dead: it delays the others for no longer than a dead waiter in the queue does.
    handoffLease: FAIR_LIFE,
  };
  // Redis issues the token, so each grant has to come from Redis.
  const fenced = kindOf(reentrant, 'fenced lock', {
    id: 'fenced',
    queue: isCluster ? undefined : new FencedQueueScripts(runner),
    scripts: new FencedScripts(runner, !isCluster),
    reusesHolderId: false,
  });
  const readWrite = {
    family: 'read/write lock',
    channelOf: readWriteChannel,
    reusesHolderId: false,
    queue: undefined,
  };
  const write: LockKind = {
    ...reentrant,
    ...readWrite,
    id: 'write',
    name: 'write lock',
    scripts: new WriteScripts(runner, !isCluster),
    queue: isCluster ? undefined : new WriteQueueScripts(runner),
    marksWaiters: true,
    longestSleep: WRITER_SLEEP,
    side: 'write',
  };
  return {
    reentrant,
    nonReentrant: kindOf(reentrant, 'non-re-entrant lock', { id: 'non-reentrant', reentry: 'refused' }),
    spin: kindOf(reentrant, 'spin lock', { id: 'spin', publishesRelease: false, queue: undefined }),
    fenced,
    leader: { ...fenced, isLasting: true },
    fair,
    nonReentrantFair: kindOf(fair, 'non-re-entrant fair lock', {
      id: 'non-reentrant-fair',
      reentry: 'refused',
    }),
    read: {
      ...reentrant,
      ...readWrite,
      id: 'read',
      name: 'read lock',
      scripts: new ReadScripts(runner, !isCluster),
      passesTo: write,
      waitersChannelOf: isCluster ? undefined : readersChannel,
      form: 'shared',
      side: 'read',
    },
    write,
    permit: {
      id: 'permit',
      name: 'permit',
      family: 'permit-expirable semaphore',
      scripts: new PermitScripts(runner, holderIds.client, !isCluster),
      queue: isCluster ? undefined : new PermitQueueScripts(runner, holderIds.client),
      channelOf: semaphoreChannel,
      form: 'shared',
      reentry: 'another',
      reusesHolderId: false,
      marksWaiters: false,
      publishesRelease: true,
      // The payload of its messages is the number of available permits.
      wakes: (payload) => Number(payload) > 0,
      holderIds: PERMIT_IDS,
    },
  };
}

function kindOf(base: LockKind, name: string, rules: Partial<LockKind>): LockKind {
  return { ...base, name, family: name, ...rules };
}
