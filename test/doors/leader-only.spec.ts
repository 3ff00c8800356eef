import 'reflect-metadata';
import { Controller, Get, Inject, Injectable, SetMetadata, type INestApplication } from '@nestjs/common';
import { Cron, Interval, ScheduleModule } from '@nestjs/schedule';
import {
  currentLock,
  DistributedLock,
  LeaderOnly,
  LockService,
  type Election,
} from 'nestjs-distributed-lock';
import { lastValueFrom, Observable, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { Gate } from '../locks/gate.js';
import { currentFrame } from '../../libs/distributed-lock/src/holds/hold.scope.js';
import { DoorStage, request } from './door.stage.js';

@Injectable()
class Reports {
  readonly inside = new Gate();
  readonly end = new Gate();

  @LeaderOnly('reports')
  async run(from = 0, _to = 0): Promise<string | undefined> {
    return `${from} by ${currentLock()?.token}`;
  }

  @LeaderOnly('reports')
  stream(): Observable<number | undefined> {
    return of(7);
  }

  @LeaderOnly('reports', { otherwise: 'throw' })
  async insisted(): Promise<string> {
    return 'run';
  }

  @LeaderOnly('reports')
  async long(): Promise<boolean | undefined> {
    const { signal } = currentLock() ?? {};
    this.inside.open();
    await this.end.opened;
    return signal?.aborted;
  }
}

@Injectable()
class Rounds {
  rounds = 0;
  readonly end = new Gate();

  @LeaderOnly('reports')
  async round(): Promise<void> {
    this.rounds += 1;
    if (this.rounds < 100) setImmediate(() => void this.round());
    else this.end.open();
    this.depth = depthOfScopes();
  }

  depth = 0;
}

function depthOfScopes(): number {
  let depth = 0;
  for (let frame = currentFrame(); frame !== undefined; frame = frame.around) depth += 1;
  return depth;
}

@Controller()
class Routes {
  @LeaderOnly('reports', { otherwise: 'throw' })
  @Get('above')
  async above() {
    return { lock: currentLock()?.name };
  }

  @Get('below')
  @SetMetadata('kind', 'below')
  @LeaderOnly('reports', { otherwise: 'throw' })
  async below(_first?: unknown, _second?: unknown) {
    return { lock: currentLock()?.name };
  }
}

@Controller()
class Draining {
  readonly inside = new Gate();
  readonly end = new Gate();

  @Get('slow')
  async slow() {
    this.inside.open();
    await this.end.opened;
    return 'served';
  }
}

@Injectable()
class Jobs {
  readonly ran = new Set<string>();

  @LeaderOnly('jobs')
  @Interval(20)
  async above() {
    this.ran.add('above');
  }

  @Interval(20)
  @LeaderOnly('jobs')
  async below() {
    this.ran.add('below');
  }

  @LeaderOnly('jobs')
  @DistributedLock('tick')
  @Cron('* * * * * *')
  async tick() {
    this.ran.add(`tick ${typeof currentLock()?.tick}`);
  }
}

@Injectable()
class Elected {
  readonly election: Election;

  constructor(@Inject(LockService) locks: LockService) {
    this.election = locks.elect('reports');
  }
}

@Injectable()
class Named {
  @LeaderOnly('named', { service: 'second' })
  async run(): Promise<boolean | undefined> {
    return true;
  }
}

class Plain {
  @LeaderOnly('plain')
  async run(): Promise<string | undefined> {
    return currentLock()?.name;
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  const { admin } = stage.services;
  const keys = await stage.services.keys();
  // The token of each key is meant to stay.
  for (const key of keys) if (/token:|[}:]:?(tick|runs)$/.test(key)) await admin.del(key);
  await stage.close();
});

const apps: INestApplication[] = [];
async function start(parts: Parameters<DoorStage['start']>[0]): Promise<INestApplication> {
  const app = await stage.start(parts);
  apps.push(app);
  return app;
}

const NOT_LEADER = { name: 'LockNotAcquiredError', code: 'NOT_LEADER', lock: 'reports' };

describe('a method that only the leader runs', () => {
  test('runs on the leader, under its lock, and gives nothing elsewhere', async () => {
    const [leader, other] = [await start({ providers: [Reports] }), await start({ providers: [Reports] })];
    const [mine, theirs] = [leader.get(Reports), other.get(Reports)];
    // Who has started knows whether it leads.
    await expect(mine.run(3)).resolves.toMatch(/^3 by \d{16}$/);
    await expect(theirs.run(3)).resolves.toBeUndefined();
    await expect(lastValueFrom(mine.stream())).resolves.toBe(7);
    await expect(lastValueFrom(theirs.stream())).resolves.toBeUndefined();
    await expect(mine.insisted()).resolves.toBe('run');
    await expect(theirs.insisted()).rejects.toMatchObject(NOT_LEADER);
    const sent = await stage.sent(async () => {
      for (let calls = 0; calls < 20; calls += 1) await Promise.all([mine.run(), theirs.run()]);
    });
    // Who waits asks once more when it has begun to listen.
    expect(sent.filter((command) => command.startsWith('evalsha')).length).toBeLessThan(2);
    expect(stage.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });

  test('is one candidate with all others of its key, and with an elect() of before', async () => {
    const app = await start({ providers: [Reports, Elected] });
    const { election } = app.get(Elected);
    expect(election).toMatchObject({ key: 'reports', isLeader: true });
    await expect(app.get(Reports).run()).resolves.toBe(`0 by ${election.token}`);
    const localLocks = app.get(LockService).engine.localLocks.values();
    expect(localLocks.map(({ target: { name }, hasWaiters }) => ({ name, hasWaiters }))).toEqual([
      { name: 'reports', hasWaiters: false },
    ]);
    // Who has left is followed by a candidate of the method's own.
    await election.stop();
    await until('the method runs', async () => (await app.get(Reports).run()) !== undefined);
  });

  test('hands over at shutdown: another instance leads as soon as the running call has ended', async () => {
    const [leader, other] = [await start({ providers: [Reports] }), await start({ providers: [Reports] })];
    const mine = leader.get(Reports);
    const long = mine.long();
    await mine.inside.opened;
    const closed = leader.close();
    await until('it is told', async () => (await mine.run()) === undefined);
    await expect(other.get(Reports).run()).resolves.toBeUndefined();
    mine.end.open();
    await expect(long).resolves.toBe(true);
    await until('the other one leads', async () => (await other.get(Reports).run()) !== undefined, 400);
    await closed;
    await expect(mine.run()).resolves.toBeUndefined();
  });

  test('does not wait for requests to drain before another instance leads', async () => {
    const parts = { controllers: [Draining], providers: [Reports] };
    const [leader, other] = [await start(parts), await start(parts)];
    const { inside, end } = leader.get(Draining);
    const answer = request(leader, '/slow');
    await inside.opened;
    const closed = leader.close();
    await until('the other one leads', async () => (await other.get(Reports).run()) !== undefined);
    end.open();
    expect(await answer).toMatchObject({ status: 200, body: 'served' });
    await closed;
  });

  test('keeps its place among other decorators, with its name, length and metadata', async () => {
    const [leader, other] = [await start({ controllers: [Routes] }), await start({ controllers: [Routes] })];
    for (const path of ['/above', '/below']) {
      expect(await request(leader, path)).toMatchObject({ status: 200, body: { lock: 'reports' } });
      expect(await request(other, path)).toMatchObject({ status: 423, body: { code: 'NOT_LEADER' } });
    }
    const { below } = Routes.prototype;
    expect([below.name, below.length, Reflect.getMetadata('kind', below)]).toEqual(['below', 2, 'below']);
  });

  test('may be scheduled, and claim its ticks as well', async () => {
    const parts = { imports: [ScheduleModule.forRoot()], providers: [Jobs] };
    const [leader, other] = [await start(parts), await start(parts)];
    const all = ['above', 'below', 'tick number'];
    await until('all have run', () => all.every((job) => leader.get(Jobs).ran.has(job)));
    expect(other.get(Jobs).ran).toEqual(new Set());
  });

  test('is in one scope, however often it begins its next call inside of the last one', async () => {
    const rounds = (await start({ providers: [Rounds] })).get(Rounds);
    await rounds.round();
    await rounds.end.opened;
    expect([rounds.rounds, rounds.depth]).toEqual([100, 1]);
  });

  test('belongs to the elections of the module instance that it names', async () => {
    const second = stage.locks({ namePrefix: `${stage.services.prefix}second:` }, { name: 'second' });
    const app = await start({ imports: [second], providers: [Named] });
    await expect(app.get(Named).run()).resolves.toBe(true);
    expect(await stage.services.keys()).toContain(`${stage.services.prefix}second:named`);
  });

  test.each([
    ['useFactory', { provide: Plain, useFactory: () => new Plain() }],
    ['useValue', { provide: Plain, useValue: new Plain() }],
  ])('works on instances from %s', async (_, provider) => {
    const app = await start({ providers: [provider] });
    await expect(app.get(Plain).run()).resolves.toBe('plain');
  });

  test('without the module fails the boot with a sentence that names what to import', async () => {
    await expect(stage.boot({ providers: [Reports] })).rejects.toThrow(
      /LockService \(import DistributedLockModule\.forRoot\(\) in your root module\)/,
    );
    await expect(new Plain().run()).rejects.toMatchObject({ code: 'NOT_BOUND' });
  });

  test('that is declared to promise nothing, or has the name of another lock, fails the boot', async () => {
    @Injectable()
    class Sync {
      // @ts-expect-error: a number is no promise
      @LeaderOnly('sync')
      run(): number {
        return 1;
      }
    }
    await expect(stage.start({ providers: [Sync] })).rejects.toMatchObject({
      code: 'NOT_ASYNC',
      message: expect.stringContaining('@LeaderOnly on Sync.run'),
    });
    @Injectable()
    class Early extends Plain {
      constructor(private readonly locks: LockService) {
        super();
      }
      async onModuleInit() {
        await this.locks.getLock('plain').using(() => undefined);
      }
    }
    await expect(stage.start({ providers: [Early] })).rejects.toMatchObject({ code: 'KIND_CONFLICT' });
  });
});
