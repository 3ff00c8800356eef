import type { Lock, Lockable, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { promised } from '../../libs/distributed-lock/src/replies/reply.callback.js';
import type { PermitsReply } from '../../libs/distributed-lock/src/scripts/semaphore.scripts.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { until } from '../support/until.js';
import { hasPermit, SHORT, type Scene, type Way } from './shorter.stage.js';

type LockOf<L extends Lockable = Lock> = (service: LockService, name: string) => L;

const reentrant: LockOf = (service, name) => service.getLock(name);
const nonReentrant: LockOf = (service, name) => service.getNonReentrantLock(name);
const spin: LockOf = (service, name) => service.getSpinLock(name);
const fenced: LockOf = (service, name) => service.getFencedLock(name);
const fair: LockOf = (service, name) => service.getFairLock(name);
const nonReentrantFair: LockOf = (service, name) => service.getNonReentrantFairLock(name);
const read: LockOf = (service, name) => service.getReadWriteLock(name).readLock();
const write: LockOf = (service, name) => service.getReadWriteLock(name).writeLock();

const permitsOf = (service: LockService, name: string) => service.getPermitExpirableSemaphore(name);
const semaphoreOf = (service: LockService, name: string) => service.getSemaphore(name);
const latchOf = (service: LockService, name: string) => service.getCountDownLatch(name);

/** Waits on the other service by `lock()`. */
const waitBy =
  (lockOf: LockOf<Lockable>): Way['wait'] =>
  ({ other, name }, signal) =>
    lockOf(other, name).lock({ signal });

const FREED = { left: 0 };

/** A lease of the watchdog goes, inside the process, to a waiter with a short lease of its own. */
export const handOver = (what: string, scripts: readonly string[], lockOf: LockOf<Lockable>): Way => ({
  what: `a hand-over of a ${what} to a waiter with a shorter lease`,
  scripts,
  async hold({ one, name }) {
    const first = await lockOf(one, name).lock();
    const next = lockOf(one, name).lock({ leaseTime: SHORT });
    next.catch(() => undefined);
    return async () => {
      await first.unlock();
      await next;
    };
  },
  wait: waitBy(lockOf),
});

/** A re-entry with a longer lease ends, and what stays has its own, shorter one again. */
export const partialRelease = (what: string, scripts: readonly string[], lockOf: LockOf<Lockable>): Way => ({
  what: `the end of a re-entry of a ${what} with a longer lease`,
  scripts,
  async hold({ one, name }) {
    const outer = await lockOf(one, name).lock({ leaseTime: SHORT });
    const inner = await outer.run(() => lockOf(one, name).lock());
    return () => inner.unlock();
  },
  wait: waitBy(lockOf),
});

const release = (what: string, scripts: readonly string[], lockOf: LockOf, waiting = lockOf): Way => ({
  what: `a release of a ${what}`,
  scripts,
  ...FREED,
  async hold({ one, name }) {
    const handle = await lockOf(one, name).lock();
    return () => handle.unlock();
  },
  wait: waitBy(waiting),
});

const forced = (what: string, scripts: readonly string[], lockOf: LockOf, waiting = lockOf): Way => ({
  what: `a forced unlock of a ${what}`,
  scripts,
  ...FREED,
  async hold({ one, name }) {
    await lockOf(one, name).lock();
    return () => lockOf(one, name).forceUnlock();
  },
  wait: waitBy(waiting),
});

/** Ends the only permit, or its lease. */
export const permit = (
  what: string,
  scripts: readonly string[],
  end: (scene: Scene, held: LockHandle) => Promise<unknown>,
  rest: Partial<Way> = FREED,
): Way => ({
  what,
  scripts,
  async hold(scene) {
    await permitsOf(scene.one, scene.name).trySetPermits(1);
    const held = await permitsOf(scene.one, scene.name).acquire();
    return () => end(scene, held);
  },
  wait: ({ other, name }, signal) => permitsOf(other, name).acquire({ signal }),
  isFree: hasPermit,
  ...rest,
});

export const semaphore = (
  what: string,
  scripts: readonly string[],
  give: (scene: Scene) => Promise<unknown>,
  before: (scene: Scene) => Promise<unknown> = () => Promise.resolve(),
): Way => ({
  what,
  scripts,
  ...FREED,
  async hold(scene) {
    await before(scene);
    return () => give(scene);
  },
  wait: ({ other, name }, signal) => semaphoreOf(other, name).acquire(1, { signal }),
  isFree: async ({ admin, key }) => Number(await admin.get(key)) > 0,
});

export const latch = (
  what: string,
  scripts: readonly string[],
  open: (scene: Scene) => Promise<unknown>,
): Way => ({
  what,
  scripts,
  ...FREED,
  async hold(scene) {
    await latchOf(scene.one, scene.name).trySetCount(1);
    return () => open(scene);
  },
  wait: ({ other, name }, signal) => latchOf(other, name).await({ signal }),
});

/** A run of a job under its lock, which ends when it is told to. */
async function run(
  { one, name }: Scene,
  inside: () => Promise<unknown> = () => Promise.resolve(),
): Promise<() => Promise<unknown>> {
  let end!: () => void;
  let begun = false;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const running = one.runOnce(name, Date.now(), async () => {
    await inside();
    begun = true;
    await ended;
  });
  await until('the run has begun', () => begun);
  return () => {
    end();
    return running;
  };
}

const LOCK = 'reentrant/release';

/** Every way in which a lock, a permit or a latch can be had earlier than its waiters were told. */
export const WAYS: readonly Way[] = [
  handOver('re-entrant lock', ['reentrant/transfer'], reentrant),
  handOver('non-re-entrant lock', ['reentrant/transfer'], nonReentrant),
  handOver('spin lock', ['reentrant/transfer'], spin),
  handOver('fenced lock', ['fenced/transfer'], fenced),
  handOver('fair lock', ['fair/release'], fair),
  handOver('non-re-entrant fair lock', ['fair/release'], nonReentrantFair),
  partialRelease('re-entrant lock', [LOCK], reentrant),
  partialRelease('spin lock', [LOCK], spin),
  partialRelease('fenced lock', [LOCK], fenced),
  partialRelease('fair lock', ['fair/release'], fair),
  partialRelease('write lock', ['write/release'], write),
  { ...partialRelease('read lock', ['read/release'], read), wait: waitBy(write) },
  {
    what: 'the end of an extended re-entry',
    scripts: [LOCK],
    async hold({ one, name }) {
      const outer = await one.getLock(name).lock({ leaseTime: SHORT });
      const inner = await outer.run(() => one.getLock(name).lock({ leaseTime: SHORT }));
      await inner.extend('20s');
      return () => inner.unlock();
    },
    wait: waitBy(reentrant),
  },
  {
    what: 'the end of the longest reader, while a shorter one reads on',
    scripts: ['read/release'],
    async hold({ one, name }) {
      await read(one, name).lock({ leaseTime: SHORT });
      const longest = await read(one, name).lock();
      return () => longest.unlock();
    },
    wait: waitBy(write),
  },
  {
    what: 'a downgrade from a write to a shorter read',
    scripts: ['write/release'],
    async hold({ one, name }) {
      const writer = await write(one, name).lock();
      await writer.run(() => read(one, name).lock({ leaseTime: SHORT }));
      return () => writer.unlock();
    },
    wait: waitBy(write),
  },
  {
    what: 'the end of a longer read inside of a write',
    scripts: ['read/release'],
    async hold({ one, name }) {
      const writer = await write(one, name).lock({ leaseTime: SHORT });
      const reader = await writer.run(() => read(one, name).lock());
      return () => reader.unlock();
    },
    wait: waitBy(write),
  },
  {
    what: 'the end of a longer re-entry of a read inside of a write',
    scripts: ['read/release'],
    async hold({ one, name }) {
      const writer = await write(one, name).lock({ leaseTime: SHORT });
      const outer = await writer.run(() => read(one, name).lock({ leaseTime: SHORT }));
      const inner = await outer.run(() => read(one, name).lock());
      return () => inner.unlock();
    },
    wait: waitBy(read),
  },
  {
    what: 'a renewal that finds the only reader dead',
    scripts: ['read/renew'],
    options: { lockWatchdogTimeout: SHORT },
    left: SHORT / 2,
    async hold({ one, admin, name, key }) {
      const { holder } = await read(one, name).lock();
      return async () => {
        // As Redisson leaves a downgraded lock: the hash has the lease of the writer that there was.
        await admin
          .multi()
          .pexpire(key, 30_000)
          .del(suffixName(key, `${holder}:rwlock_timeout:1`))
          .exec();
      };
    },
    wait: waitBy(write),
  },
  release('re-entrant lock', [LOCK], reentrant),
  release('non-re-entrant lock', [LOCK], nonReentrant),
  release('spin lock', [LOCK], spin),
  release('fenced lock', [LOCK], fenced),
  release('fair lock', ['fair/release'], fair),
  release('non-re-entrant fair lock', ['fair/release'], nonReentrantFair),
  release('read lock', ['read/release'], read, write),
  release('write lock', ['write/release'], write),
  release('write lock that readers wait for', ['write/release'], write, read),
  forced('re-entrant lock', ['reentrant/force-release'], reentrant),
  forced('fair lock', ['fair/force-release'], fair),
  forced('read lock', ['read/force-release'], read, write),
  forced('write lock', ['write/force-release'], write),
  {
    what: 'the end of a run, whose lock is free then',
    scripts: ['tick/finish'],
    ...FREED,
    hold: (scene) => run(scene),
    wait: waitBy(reentrant),
  },
  {
    what: 'the end of a run, inside of which a shorter hold goes on',
    scripts: ['tick/finish'],
    hold: (scene) => run(scene, () => scene.one.getLock(scene.name).lock({ leaseTime: SHORT })),
    wait: waitBy(reentrant),
  },
  permit(
    'a shorter lease of the only permit',
    ['permit/renew'],
    ({ one, name }, { holder }) => permitsOf(one, name).updateLeaseTime(holder, SHORT),
    {},
  ),
  permit('a release of a permit', ['permit/release'], (_, held) => held.unlock()),
  permit('a release of a permit by its id', ['permit/release'], ({ one, name }, { holder }) =>
    permitsOf(one, name).tryRelease(holder),
  ),
  permit('a larger number of permits', ['permit/resize'], ({ one, name }) =>
    permitsOf(one, name).setPermits(2),
  ),
  permit('more permits', ['semaphore/add'], ({ one, name }) => permitsOf(one, name).addPermits(1)),
  permit(
    'the end of a lease that somebody looks at',
    ['permit/inspect', 'permit/acquire', 'permit/renew', 'permit/wait', 'permit/pass'],
    async ({ one, admin, name, key }, { holder }) => {
      await admin.zadd(suffixName(key, 'timeout'), 1, Buffer.from(holder, 'hex'));
      await permitsOf(one, name).availablePermits();
    },
  ),
  semaphore('a release of a semaphore', ['semaphore/add'], ({ one, name }) =>
    semaphoreOf(one, name).release(),
  ),
  semaphore('a semaphore that is made', ['semaphore/set'], ({ one, name }) =>
    semaphoreOf(one, name).trySetPermits(1),
  ),
  semaphore(
    'permits of a call that is undone',
    ['semaphore/undo'],
    ({ one, key }) => one.engine.context.counters.semaphore.undo(key, 'call'),
    async ({ one, name, key }) => {
      await semaphoreOf(one, name).trySetPermits(1);
      const { semaphore: scripts } = one.engine.context.counters;
      await promised<PermitsReply>((callback) =>
        scripts.acquire({ name: key, call: 'call', permits: 1, waits: false }, callback),
      );
    },
  ),
  latch('a countdown', ['latch/count-down'], ({ one, name }) => latchOf(one, name).countDown()),
  latch('a latch that is deleted', ['latch/delete'], ({ one, name }) => latchOf(one, name).delete()),
];
