import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { ProxiedCommand, Verdict } from '../support/faults/proxy.link.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { Random } from '../support/random.js';
import { didRun, operationsOf, type Purpose } from '../support/faults/script.calls.js';
import { Witness } from './witness.js';

const ACQUISITIONS = 10_000;
const LEAST_CUTS = 500;
const LEAST_OF_EACH = 100;
const SERVICES = 6;
const CALLERS = 10;
const LOCKS = 16;

/** One command in this many is cut down before Redis gets it, or with whatever else is under way. */
const ODDS = 150;

let stage: FaultStage;
let fleet: { readonly service: LockService; readonly wire: TcpProxy }[];

beforeAll(async () => {
  stage = await FaultStage.own();
  fleet = await Promise.all(
    Array.from({ length: SERVICES }, async () => {
      const wire = await stage.proxy();
      return { wire, service: await stage.open({}, wire) };
    }),
  );
}, scaled(30_000));

afterAll(() => stage.close());

/** Cuts of connections whose script had run, by what it had done; a quarter more than is asked for. */
class Ambush {
  readonly after = new Map<Purpose, number>([
    ['acquire', 0],
    ['re-enter', 0],
    ['release', 0],
    ['partial release', 0],
    ['transfer', 0],
  ]);
  before = 0;
  random = 0;

  constructor(private readonly dice: Random) {}

  judge(command: ProxiedCommand, wire: TcpProxy): Verdict {
    const operations = operationsOf(command);
    if (operations.length === 0) return 'pass';
    if (this.dice.below(ODDS) === 0) {
      this.before += 1;
      return 'cut';
    }
    if (this.dice.below(ODDS) === 0) {
      setImmediate(() => {
        this.random += 1;
        wire.cut();
      });
      return 'pass';
    }
    const wanted = operations.findIndex(
      ({ purpose }) => (this.after.get(purpose) ?? Infinity) < LEAST_OF_EACH * 1.25,
    );
    if (wanted === -1 || this.dice.below(8) > 0) return 'pass';
    return {
      answered: (reply) => {
        if (!didRun(reply, wanted)) return 'pass';
        const ran = operations.filter((_, index) => didRun(reply, index));
        for (const purpose of new Set(ran.map((operation) => operation.purpose)))
          this.after.set(purpose, (this.after.get(purpose) ?? 0) + 1);
        return 'cut';
      },
    };
  }

  get isDone(): boolean {
    return ['acquire', 're-enter', 'release'].every(
      (purpose) => (this.after.get(purpose as Purpose) ?? 0) >= LEAST_OF_EACH,
    );
  }
}

test(
  'a connection cut at random over 10,000 acquisitions loses no update, counts no call twice and leaves no key',
  async () => {
    const random = new Random();
    const ambush = new Ambush(random);
    const witness = new Witness(stage.admin, stage.services.prefix);
    for (const { wire } of fleet) wire.judge((command) => ambush.judge(command, wire));
    const cuts = () => fleet.reduce((sum, { wire }) => sum + wire.cuts, 0);
    const start = performance.now();
    let begun = 0;
    const isOver = () => begun >= ACQUISITIONS && ambush.isDone && cuts() >= LEAST_CUTS;
    const caller = async (service: LockService): Promise<void> => {
      while (!isOver() && performance.now() - start < scaled(90_000)) {
        begun += 1;
        await witness.watch(service.getLock(`lock-${random.below(LOCKS)}`), random);
      }
    };
    await Promise.all(fleet.flatMap(({ service }) => Array.from({ length: CALLERS }, () => caller(service))));

    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const seen =
      `FAULT_SEED=${random.seed}: ${seconds} s, ${witness.summary}; ${cuts()} connections cut, ` +
      `before the script ${ambush.before}, at random ${ambush.random}, ` +
      `after it ran ${[...ambush.after].map(([purpose, count]) => `${purpose} ${count}`).join(', ')}`;
    console.log(seen);
    expect(witness.faults, seen).toEqual([]);
    expect(witness.entered, seen).toBe(begun);
    expect(begun, seen).toBeGreaterThanOrEqual(ACQUISITIONS);
    expect(await witness.registers(), seen).toBe(begun);
    expect(cuts(), seen).toBeGreaterThanOrEqual(LEAST_CUTS);
    for (const purpose of ['acquire', 're-enter', 'release'] as const)
      expect(ambush.after.get(purpose), `${purpose}; ${seen}`).toBeGreaterThanOrEqual(LEAST_OF_EACH);
    for (const { wire } of fleet) wire.judge(() => 'pass');
    await stage.expectNothingLeft();
  },
  scaled(150_000),
);
