import type { Redis } from 'ioredis';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { semaphoreChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Verdict } from '../support/faults/proxy.link.js';
import { Services } from '../support/services.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';

/** How long the record of a call that was repeated or undone may stay, in ms. */
const ECHO = 30_000;

/** Services that share semaphores and latches, each as if in a process of its own, and ways to Redis that can be broken. */
export class CounterFleet {
  readonly #services = new Services();
  readonly #opened: LockService[] = [];
  readonly #proxies: TcpProxy[] = [];

  get redis(): Redis {
    return this.#services.admin;
  }

  async open(options: LockModuleSettings = {}, via?: TcpProxy): Promise<LockService> {
    const service = await this.#services.open(options, via?.url ?? this.#services.source);
    this.#opened.push(service);
    return service;
  }

  async proxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(Number(new URL(String(this.#services.source)).port));
    this.#proxies.push(proxy);
    return proxy;
  }

  /** The name in Redis. */
  key(name: string): string {
    return this.#services.prefix + name;
  }

  /** How many services listen to a semaphore. */
  async sleepers(name: string, channel = semaphoreChannel(this.key(name))): Promise<number> {
    return Number((await this.redis.pubsub('NUMSUB', channel))[1]);
  }

  async asleep(count: number, name: string, channel?: string): Promise<void> {
    await until(
      `${count} services listen to ${name}`,
      async () => (await this.sleepers(name, channel)) === count,
    );
  }

  notices(service: LockService): Notice[] {
    const heard: Notice[] = [];
    service.engine.context.notices.listen((notice) => heard.push(notice));
    return heard;
  }

  /** The records of calls that were repeated or undone: they may stay for a while, and must end by themselves. */
  async echoes(): Promise<string[]> {
    return (await this.#services.keys()).filter((key) => key.includes('}:call:'));
  }

  /** What there is beside the keys that the test has made, and should not be when nobody waits. */
  async leftovers(...expected: readonly string[]): Promise<string[]> {
    const keys = await this.#services.keys();
    const strange = [];
    for (const key of keys) {
      if (expected.some((name) => key === this.key(name))) continue;
      const ttl = key.includes('}:call:') ? await this.redis.pttl(key) : Infinity;
      if (ttl > ECHO || ttl === -1) strange.push(key);
    }
    const inProcess = this.#opened.flatMap(({ engine: { localLocks, counters, context } }, index) =>
      Object.entries({
        locks: localLocks.size,
        semaphores: counters.semaphores.size,
        latches: counters.latches.size,
        leases: context.watchdog.size,
        channels: context.subscriptions.size,
        calls: context.backgroundRelease.size,
        timers: context.wheel.size,
      }).flatMap(([what, size]) => (size === 0 ? [] : [`${size} ${what} of service ${index}`])),
    );
    return [...strange, ...(await this.#services.channels()), ...inProcess];
  }

  /** @throws when anything is left while the services are still open */
  async expectNothingLeft(...expected: readonly string[]): Promise<void> {
    let left: string[] = [];
    try {
      await until('nothing is left', async () => (left = await this.leftovers(...expected)).length === 0);
    } catch (error) {
      throw new Error(`left behind: ${left.slice(0, 20).join(', ')}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) proxy.restore();
    await Promise.all(this.#opened.map((service) => service.shutDown()));
    const keys = await this.#services.keys();
    if (keys.length > 0) await this.redis.del(...keys);
    await this.#services.close();
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}

/** Treats the next call of a script; resolves when it came, for `answered` when it had an effect. */
function onNext(proxy: TcpProxy, script: LuaScript, treat: (seen: () => void) => Verdict): Promise<void> {
  return new Promise((resolve) => {
    let over = false;
    proxy.judge(({ name, words }) => {
      const isIt =
        (name === 'EVALSHA' || name === 'EVAL') && [script.sha1, script.text].includes(words[1] ?? '');
      if (over || !isIt) return 'pass';
      return treat(() => {
        over = true;
        resolve();
      });
    });
  });
}

/** The connection dies before Redis gets the next call of `script`. */
export function cutBefore(proxy: TcpProxy, script: LuaScript): Promise<void> {
  return onNext(proxy, script, (seen) => {
    seen();
    return 'cut';
  });
}

/** Redis runs the next call of `script`, with effect; the connection dies before the reply passes. */
export function cutAfter(proxy: TcpProxy, script: LuaScript): Promise<void> {
  return onNext(proxy, script, (seen) => ({
    answered: (reply) => {
      const [row] = Array.isArray(reply) ? reply : [];
      if (!Array.isArray(row) || Number(row[0]) !== 1) return 'pass';
      seen();
      return 'cut';
    },
  }));
}

/** Counts the calls of a script from now on. */
export function callsOf(proxy: TcpProxy, ...scripts: readonly LuaScript[]): () => number {
  const texts = scripts.flatMap(({ sha1, text }) => [sha1, text]);
  let calls = 0;
  proxy.judge(({ words }) => {
    if (texts.includes(words[1] ?? '')) calls += 1;
    return 'pass';
  });
  return () => calls;
}
