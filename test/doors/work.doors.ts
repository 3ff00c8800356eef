import { Controller, Get, Injectable, Param, type INestApplication, type Type } from '@nestjs/common';
import { ScheduleModule, Timeout } from '@nestjs/schedule';
import { DistributedLock, LeaderOnly, LockService, UseDistributedLock } from 'nestjs-distributed-lock';
import { LOSSES } from '../../libs/distributed-lock/src/errors/loss.reasons.js';
import { until } from '../support/until.js';
import { request, type DoorStage } from './door.stage.js';
import { PIECES, type Fate, type Piece, type PieceKind } from './work.pieces.js';

/** A way by which work comes under a lock. */
export interface Door {
  /** Runs a piece under the lock of that name; settles when its caller has taken all that it gets. */
  readonly run: (stage: WorkStage, name: string, piece: Piece) => Promise<unknown>;
  /** @default by the re-entrant lock of that name */
  readonly isHeld?: (stage: WorkStage, name: string) => Promise<boolean>;
  /** What becomes of pieces here, where it is something else than elsewhere. */
  readonly fates?: Readonly<Record<string, Fate>>;
}

/** An application behind all doors, and another client that sees what is held. */
export class WorkStage {
  private constructor(
    readonly stage: DoorStage,
    readonly app: INestApplication,
    /** As of another process. */
    readonly witness: LockService,
    /** What guarded methods run, by the name of their lock. */
    readonly pieces: Map<string, Piece>,
    /** The classes with a schedule, or a leader, by the name of their lock. */
    readonly leaders: ReadonlyMap<string, Type>,
  ) {}

  /** @param kinds what is run by schedules and leaders, which begin with the application */
  static async open(
    stage: DoorStage,
    kinds: Readonly<Record<string, Pick<PieceKind, 'make'>>> = PIECES,
  ): Promise<WorkStage> {
    const pieces = new Map<string, Piece>();
    const give = (name: string) => pieces.get(name)?.give();
    const jobs = new Map<string, Type>();
    for (const [door, job] of Object.entries(JOBS)) {
      for (const [kind, { make }] of Object.entries(kinds)) {
        const name = `${door}:${kind}`;
        pieces.set(name, make());
        jobs.set(name, job(name, give));
      }
    }
    const app = await stage.start({
      imports: [ScheduleModule.forRoot()],
      controllers: [routes(give)],
      providers: [methods(give), ...jobs.values()],
      options: { shutdownTimeout: '30s' },
    });
    return new WorkStage(stage, app, await stage.services.open(), pieces, jobs);
  }

  get locks(): LockService {
    return this.app.get(LockService);
  }

  /** Calls a guarded method of the application. */
  async call(method: string, name: string, piece: Piece): Promise<unknown> {
    this.pieces.set(name, piece);
    const instance: Readonly<Record<string, (name: string) => unknown>> = this.app.get(METHODS);
    return await piece.take(await instance[method]?.(name));
  }

  /** Sends a request to a guarded handler. */
  async send(path: string, name: string, piece: Piece): Promise<unknown> {
    this.pieces.set(name, piece);
    const { status, body } = await request(this.app, `/${path}/${encodeURIComponent(name)}`);
    const said = this.stage.logged.splice(0).join('\n');
    // Nest's own message of an error that no filter knows.
    if (status === 500 && said.includes('The work returned an')) throw new Refused();
    return body;
  }
}

class Refused extends Error {
  readonly code = 'NOT_ASYNC';
}

const METHODS = Symbol('methods');

type Give = (name: string) => unknown;

function methods(give: Give) {
  class Methods {
    @DistributedLock('{0}')
    undeclared(name: string) {
      return give(name) as Promise<unknown>;
    }

    @DistributedLock('{0}')
    async promised(name: string): Promise<unknown> {
      return await give(name);
    }
  }
  return { provide: METHODS, useClass: Methods };
}

function routes(give: Give): Type {
  @Controller()
  class Routes {
    @Get('decorated/:name')
    @DistributedLock('{0}')
    async decorated(@Param('name') name: string): Promise<unknown> {
      return await give(name);
    }

    @Get('intercepted/:name')
    @UseDistributedLock({
      key: (context) => context.switchToHttp().getRequest<{ params: { name: string } }>().params.name,
    })
    intercepted(@Param('name') name: string) {
      return give(name);
    }
  }
  return Routes;
}

/** Classes whose schedule runs a piece once, when the application has started. */
export const JOBS: Readonly<Record<string, (name: string, give: Give) => Type>> = {
  tick: (name, give) => {
    @Injectable()
    class Job {
      @Timeout(1)
      @DistributedLock(name, { minInterval: '1h' })
      async run(): Promise<unknown> {
        return await give(name);
      }
    }
    return Job;
  },
  turn: (name, give) => {
    @Injectable()
    class Job {
      @Timeout(1)
      @DistributedLock(name)
      async run(): Promise<unknown> {
        return await give(name);
      }
    }
    return Job;
  },
  'leader only': (name, give) => {
    @Injectable()
    class Leader {
      @LeaderOnly(name)
      async run(): Promise<unknown> {
        return await give(name);
      }
    }
    return Leader;
  },
};

/** Until the end of what a schedule has run: it has no caller. */
async function ended(stage: WorkStage, name: string): Promise<void> {
  await until('its run has ended', async () => !(await isLocked(stage, name)));
  const [run] = await stage.witness.getRuns(name);
  if (run?.reason?.includes('The work returned an') === true) throw new Refused();
}

async function isLocked({ witness }: WorkStage, name: string): Promise<boolean> {
  return await witness.getLock(name).isLocked();
}

async function isLed({ witness }: WorkStage, name: string): Promise<boolean> {
  return await witness.getFencedLock(name).isLocked();
}

/** Runs a piece as the work of a leader, and resigns meanwhile. */
async function lead({ locks }: WorkStage, name: string, piece: Piece): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    locks.engine.context.notices.listen((notice) => {
      if (notice.kind === 'callback-failed' && notice.lock === name) reject(notice.error as Error);
    });
    const election = locks.elect(name, {
      onElected: () => {
        setImmediate(() => void election.stop().then(resolve));
        return piece.give();
      },
    });
  });
}

/** Calls a method that only the leader runs, and deposes the leader meanwhile. */
async function callLeader({ app, locks, leaders }: WorkStage, name: string): Promise<unknown> {
  await until('it leads', () => locks.elections.leaderOf(name) !== undefined);
  const leader: { run(): Promise<unknown> } = app.get(leaders.get(name) ?? '');
  const result = leader.run();
  locks.elections.leaderOf(name)?.end(LOSSES.resigned);
  return await result;
}

type Start = (locks: LockService, name: string, give: () => unknown) => Promise<unknown>;

/** A door that gives its caller what the work gave. */
function taken(start: Start): Door['run'] {
  return async ({ locks }, name, piece) => await piece.take(await start(locks, name, piece.give));
}

/** Every door. */
export const DOORS: Readonly<Record<string, Door>> = {
  'lock.using': { run: taken((locks, name, give) => locks.getLock(name).using(give)) },
  'locks.using': { run: taken((locks, name, give) => locks.using(name, give)) },
  'locks.using of several': { run: taken((locks, name, give) => locks.using([name, `${name}:2`], give)) },
  'permit.using': {
    run: taken(async (locks, name, give) => {
      await locks.getPermitExpirableSemaphore(name).trySetPermits(1);
      return await locks.getPermitExpirableSemaphore(name).using(give);
    }),
    isHeld: async ({ witness }, name) =>
      (await witness.getPermitExpirableSemaphore(name).acquiredPermits()) > 0,
  },
  'semaphore.using': {
    run: taken(async (locks, name, give) => {
      await locks.getSemaphore(name).trySetPermits(2);
      return await locks.getSemaphore(name).using(give);
    }),
    isHeld: async ({ witness }, name) => (await witness.getSemaphore(name).availablePermits()) === 1,
  },
  runOnce: { run: taken((locks, name, give) => locks.runOnce(name, 1, give)) },
  'guarded method': { run: (stage, name, piece) => stage.call('promised', name, piece) },
  'guarded method without a declared type': {
    run: (stage, name, piece) => stage.call('undeclared', name, piece),
  },
  'guarded route': { run: (stage, name, piece) => stage.send('decorated', name, piece) },
  'intercepted route without a declared type': {
    run: (stage, name, piece) => stage.send('intercepted', name, piece),
    fates: { 'observable of another library': 'refused' },
  },
  'leader only': {
    run: async (stage, name, piece) => await piece.take(await callLeader(stage, name)),
    isHeld: isLed,
  },
  elected: { run: lead, isHeld: isLed },
  tick: { run: ended },
  turn: { run: ended },
};
