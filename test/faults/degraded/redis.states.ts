import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisOptions } from 'ioredis';
import { until } from '../../support/until.js';
import type { Credentials, DegradedStage } from './degraded.stage.js';

/** A way in which Redis can be there and yet give no locks. */
export interface RedisState {
  /** In the names of its locks. */
  readonly slug: string;
  /** While Redis … */
  readonly is: string;
  /** Arguments of the server. */
  readonly args?: readonly string[];
  /** The way on which the application goes to Redis. */
  source(stage: DegradedStage): RedisOptions;
  /** Resolves when the state is there. */
  begin(stage: DegradedStage): Promise<void>;
  /** Resolves when Redis serves again. */
  end(stage: DegradedStage): Promise<void>;
}

const KEPT = ['--appendonly', 'yes', '--appendfsync', 'always'];
/** Events are served between two keys, so that who asks is told that Redis is loading, and not nothing. */
const SLOW_LOAD = ['--key-load-delay', '10000', '--loading-process-events-interval-bytes', '1024'];
const USER: Credentials = { username: 'app', password: 'secret' };

const direct = (stage: DegradedStage): RedisOptions => ({ port: stage.port });
const wired = (stage: DegradedStage): RedisOptions => ({ port: Number(new URL(stage.wire.url).port) });
const config = (stage: DegradedStage, name: string, value: string) => stage.admin.config('SET', name, value);

async function untilSaved(stage: DegradedStage, status: 'ok' | 'err'): Promise<void> {
  await stage.admin.bgsave();
  await until(`the last save is "${status}"`, async () =>
    (await stage.admin.info('persistence')).includes(`rdb_last_bgsave_status:${status}`),
  );
}

export const down: RedisState = {
  slug: 'down',
  is: 'is down',
  args: KEPT,
  source: direct,
  async begin(stage) {
    await stage.kill();
    await stage.untilTold(/ECONNREFUSED/);
  },
  end: (stage) => stage.start(KEPT),
};

export const silent: RedisState = {
  slug: 'silent',
  is: 'is behind a wire that swallows everything',
  source: wired,
  begin: async ({ wire }) => wire.blackHole(),
  end: async ({ wire }) => wire.restore(),
};

/** @param delay of each answer, in ms; what is on its way at the end arrives at once */
export function slowBy(delay: number): RedisState {
  const end = new AbortController();
  const later = () => sleep(delay, undefined, { signal: end.signal }).catch(() => undefined);
  return {
    slug: 'slow',
    is: 'is slow',
    source: wired,
    begin: async ({ wire }) => wire.judge(() => ({ answered: later })),
    async end({ wire }) {
      wire.judge(() => 'pass');
      end.abort();
    },
  };
}

export const readOnly: RedisState = {
  slug: 'read-only',
  is: 'is a read-only replica',
  source: direct,
  async begin(stage) {
    await stage.admin.replicaof('127.0.0.1', 1);
    await stage.untilTold(/READONLY/);
  },
  async end({ admin }) {
    await admin.replicaof('NO', 'ONE');
  },
};

export const loading: RedisState = {
  slug: 'loading',
  is: 'loads its data',
  args: ['--rdbcompression', 'no'],
  source: direct,
  async begin(stage) {
    const filler = stage.admin.pipeline();
    for (let key = 0; key < 3000; key += 1) filler.set(`filler:${key}`, 'x'.repeat(1000));
    await filler.exec();
    await stage.admin.save();
    await stage.kill();
    loaded.set(stage, stage.start(SLOW_LOAD));
    await stage.untilTold(/LOADING/);
  },
  async end(stage) {
    await stage.ask((client) => client.config('SET', 'key-load-delay', '0'));
    await loaded.get(stage);
  },
};
const loaded = new WeakMap<DegradedStage, Promise<void>>();

export const full: RedisState = {
  slug: 'full',
  is: 'is full',
  source: direct,
  async begin(stage) {
    await config(stage, 'maxmemory', '1');
    await stage.untilTold(/OOM/);
  },
  async end(stage) {
    await config(stage, 'maxmemory', '0');
  },
};

export const forbidden: RedisState = {
  slug: 'forbidden',
  is: 'refuses by ACL',
  args: ['--user', USER.username, 'on', `>${USER.password}`, '~*', '&*', '+@all'],
  source: (stage) => ({ ...direct(stage), ...USER }),
  async begin(stage) {
    await stage.admin.acl('SETUSER', USER.username, 'resetkeys');
    await stage.untilTold(/NOPERM/, USER);
  },
  async end({ admin }) {
    await admin.acl('SETUSER', USER.username, '~*');
  },
};

export const unsaved: RedisState = {
  slug: 'unsaved',
  is: 'cannot save to disk',
  source: direct,
  async begin(stage) {
    // A folder in the place of the file: the save that is to replace it fails.
    await mkdir(join(stage.folder, 'dump.rdb'));
    await config(stage, 'save', '3600 1');
    await untilSaved(stage, 'err');
    await stage.untilTold(/MISCONF/);
  },
  async end(stage) {
    await rmdir(join(stage.folder, 'dump.rdb'));
    await untilSaved(stage, 'ok');
  },
};

export const busy: RedisState = {
  slug: 'busy',
  is: "is busy with somebody's script",
  args: ['--lua-time-limit', '50'],
  source: direct,
  async begin(stage) {
    void stage.ask((client) => client.eval('while true do end', 0));
    await stage.untilTold(/BUSY/);
  },
  async end(stage) {
    await stage.ask((client) => client.call('SCRIPT', 'KILL'));
    await stage.untilTold(/OK/);
  },
};
