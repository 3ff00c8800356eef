import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { NoticeBoard } from '../events/notice.board.js';
import { HolderIds } from '../core/holder.ids.js';
import { counterScripts } from '../core/counter.scripts.js';
import { DowngradeRegistry } from '../core/downgrade.registry.js';
import { LockEngine } from '../locks/lock.engine.js';
import { lockKinds } from '../core/lock.kinds.js';
import { BackgroundRelease } from '../core/background.release.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import { ConnectionPair } from '../connections/connection.pair.js';
import type { Backend } from '../connections/backend.contract.js';
import { ReplicaAcks } from '../cluster/replica.acks.js';
import { Watchdog } from '../renewal/watchdog.js';
import { ScriptRunner } from '../script-runner/script.runner.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { ChannelSubscriptions } from '../redis/channel.subscriptions.js';
import { checkServer } from './server.check.js';
import { checkSlots } from './slot.checks.js';

/** The locks on one backend, and the parts below them. */
export interface OpenEngine<G extends Backend = ConnectionPair> {
  readonly engine: LockEngine;
  readonly runner: ScriptRunner;
  readonly connections: G;
}

/** The parts that engines of one module instance share. */
export interface EngineParts {
  readonly wheel: TimerWheel;
  readonly notices: NoticeBoard;
  /** @default those of a client with a uuid of its own */
  readonly ids?: HolderIds;
  /** The option that names the server, for messages. @default 'redis' */
  readonly option?: string;
}

/** Builds the locks on one Redis. Nothing is connected yet. */
export function makeEngine(settings: LockSettings, template: ClientTemplate, parts: EngineParts): OpenEngine {
  const { wheel, notices, option = 'redis' } = parts;
  if (settings.pubsub === 'sharded' && !template.isCluster) {
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `pubsub: "sharded" needs a cluster, and ${option} is none.`,
      undefined,
      undefined,
      `Give a client of a cluster as ${option}, or set pubsub: "auto".`,
    );
  }
  const { address } = template;
  const acks =
    settings.replication &&
    new ReplicaAcks(settings.replication, (why) => notices.post({ kind: 'unreplicated', why }));
  const { commandTimeout, pubsub } = settings;
  const connections = new ConnectionPair({
    template,
    wheel,
    commandTimeout,
    pubsub,
    acks,
    warn: (kind, why) => notices.post({ kind, address, why }),
  });
  connections.commands.lifecycle.watch(commandTimeout, {
    lost: (why) => notices.post({ kind: 'disconnected', address, why }),
    refused: (why) => notices.post({ kind: 'connection-refused', address, why }),
    back: () => notices.post({ kind: 'reconnected', address }),
  });
  if (settings.serverCheck) checkServer(connections.commands.lifecycle, template, notices);
  return engineOn(connections, settings, parts);
}

/** Builds the locks on any backend. */
export function engineOn<G extends Backend>(
  backend: G,
  settings: LockSettings,
  { wheel, notices, ids = new HolderIds() }: EngineParts,
): OpenEngine<G> {
  const runner = new ScriptRunner(backend.commands, wheel, settings.commandTimeout);
  const outside = AsyncLocalStorage.snapshot();
  // The `keyPrefix` of ioredis applies to keys, but not to channels; here it is put before names, so both agree.
  const mapName = (name: string) => {
    const key = backend.keyPrefix + settings.mapName(name);
    if (backend.isCluster) checkSlots(name, key);
    return key;
  };
  const engine = new LockEngine({
    settings: { ...settings, mapName, namePrefix: backend.keyPrefix + settings.namePrefix },
    kinds: lockKinds(runner, ids, backend.isCluster),
    counters: counterScripts(runner, backend.isCluster),
    wheel,
    ids,
    watchdog: new Watchdog(wheel),
    subscriptions: new ChannelSubscriptions(backend.subscriber),
    notices,
    isCluster: backend.isCluster,
    get isConnected() {
      return backend.commands.isReady;
    },
    get countsAllReceivers() {
      return backend.countsAllReceivers;
    },
    backgroundRelease: new BackgroundRelease(wheel, outside),
    downgrades: new DowngradeRegistry(),
    outside,
  });
  return { engine, runner, connections: backend };
}
