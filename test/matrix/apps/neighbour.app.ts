import assert from 'node:assert/strict';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type INestApplication,
  type ModuleMetadata,
  type NestApplicationOptions,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { Gate, type MatrixStage, SERVER, until } from './matrix.stage.js';

/** The ticks that one instance has run, each with its job. */
export interface TickedJobs {
  readonly ticks: string[];
}

@Injectable()
export class Jobs implements TickedJobs {
  readonly ticks: string[] = [];

  @Cron('* * * * * *')
  @DistributedLock('neighbour-job')
  async run(): Promise<void> {
    this.ticks.push(`job ${String(currentLock()?.tick)}`);
  }
}

@Controller('guarded')
class Guarded {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @Get()
  @DistributedLock('neighbour-handler')
  async guarded(): Promise<object> {
    return { state: await this.gate.pass() };
  }
}

/** What an application has beside its locks. */
export interface NeighbourParts {
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: ModuleMetadata['providers'];
  readonly options?: NestApplicationOptions;
  /** The module of the locks. @default that of the stage */
  readonly locks?: (stage: MatrixStage) => NonNullable<ModuleMetadata['imports']>[number];
  /** @default one guarded method */
  readonly jobs?: Type<TickedJobs>;
  /** Called with each instance before it listens. */
  readonly prepare?: (app: INestApplication) => void;
}

/**
 * Starts two instances of an application beside another package: each tick of a guarded `@Cron` runs once, and a guarded handler
 * refuses the second caller.
 */
export async function runBeside(
  stage: MatrixStage,
  parts: () => NeighbourParts,
): Promise<readonly INestApplication[]> {
  const start = async (): Promise<{ app: INestApplication; jobs: TickedJobs }> => {
    const { imports = [], providers = [], options, locks, jobs = Jobs, prepare } = parts();
    @Module({
      imports: [ScheduleModule.forRoot(), ...imports, locks?.(stage) ?? stage.locks()],
      controllers: [Guarded],
      providers: [jobs, { provide: Gate, useValue: stage.gate }, ...providers],
    })
    class AppModule {}
    const app = stage.closes(await NestFactory.create(AppModule, { ...SERVER, ...options }));
    prepare?.(app);
    await app.listen(0, '127.0.0.1');
    return { app, jobs: app.get(jobs) };
  };
  const instances = [await start(), await start()];
  const [one = '', other = ''] = await Promise.all(instances.map(({ app }) => app.getUrl()));
  let answer: unknown;
  const refused = await stage.collide(
    async () => (answer = await (await fetch(`${one}/guarded`)).json()),
    () => fetch(`${other}/guarded`),
  );
  assert.deepEqual(answer, { state: 'done' });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [423, '1']);
  const ticks = () => instances.flatMap(({ jobs }) => jobs.ticks);
  await until('four ticks', () => new Set(ticks()).size >= 4);
  assert.equal(new Set(ticks()).size, ticks().length, 'a tick ran twice');
  assert.ok(
    ticks().every((tick) => !tick.endsWith('undefined')),
    'a fire was no tick',
  );
  return instances.map(({ app }) => app);
}
