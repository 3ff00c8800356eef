import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Lockable, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockUnavailableError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Random } from '../support/random.js';
import { scaled } from '../support/slowness.js';
import { KindStage } from './kind.stage.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const CALLERS = 12;
const MS = scaled(5000);

test(
  'callers of two services that take any of six locks, in any order, never wait for each other for ever',
  { timeout: scaled(30_000) },
  () =>
    KindStage.play('shared', async (stage) => {
      const services = [await stage.faults.open(), await stage.faults.open()];
      const random = new Random();
      const inside = new Map<string, number>();
      const overlaps: string[] = [];
      const grants: number[] = Array.from({ length: CALLERS }, () => 0);
      const refused: number[] = Array.from({ length: CALLERS }, () => 0);
      let unanswered = 0;
      const longest: number[] = Array.from({ length: CALLERS }, () => 0);

      const shuffled = () => {
        const rest = [...NAMES];
        const picked = NAMES.slice(0, 1 + random.below(4));
        return picked.flatMap(() => rest.splice(random.below(rest.length), 1));
      };
      /** One of the names as a lock of its kind: half of them are fair. */
      const memberOf = (service: LockService, name: string) =>
        name < 'd' ? service.getLock(name) : service.getFairLock(name);

      /** A caller with so little time may hear nothing at all where the machine is busy. */
      const impatient = async (lock: Lockable): Promise<LockHandle | null> => {
        const leaseTime = random.below(2) === 0 ? '2s' : undefined;
        return await lock.tryLock({ waitTime: 20 + random.below(80), leaseTime }).catch((error: unknown) => {
          if (!(error instanceof LockUnavailableError)) throw error;
          unanswered += 1;
          return null;
        });
      };

      const caller = async (number: number): Promise<void> => {
        const service = services[number % services.length];
        if (service === undefined) throw new Error('there is no service');
        const end = performance.now() + MS;
        while (performance.now() < end) {
          const names = shuffled();
          const lock = service.getMultiLock(...names.map((name) => memberOf(service, name)));
          const start = performance.now();
          const handle = await (number % 3 === 0 ? impatient(lock) : lock.lock());
          longest[number] = Math.max(longest[number] ?? 0, performance.now() - start);
          if (handle === null) {
            refused[number] = (refused[number] ?? 0) + 1;
            continue;
          }
          grants[number] = (grants[number] ?? 0) + 1;
          for (const name of names) {
            if (inside.has(name)) overlaps.push(`${name}: ${inside.get(name)} and ${number}`);
            inside.set(name, number);
          }
          await sleep(random.below(3));
          for (const name of names) inside.delete(name);
          expect(await handle.unlock()).toBe('released');
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
      const seen =
        `FAULT_SEED=${random.seed}: grants of ${CALLERS} callers in ${MS} ms: ${grants.join(', ')}; refused ${refused.join(', ')}, ${unanswered} of them without an answer; ` +
        `longest wait of each ${longest.map((ms) => ms.toFixed(0)).join(', ')} ms`;
      console.log(seen);
      expect(overlaps, seen).toEqual([]);
      expect(Math.min(...grants.filter((_, number) => number % 3 > 0)), seen).toBeGreaterThan(5);
    }),
);
