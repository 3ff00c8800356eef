import {
  Catch,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type INestApplication,
  type MiddlewareConsumer,
  type ModuleMetadata,
  type NestInterceptor,
  type NestModule,
  type PipeTransform,
  type Type,
  Query,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import {
  DistributedLock,
  DistributedLockError,
  LockNotAcquiredError,
  LockService,
  LockUnavailableError,
} from 'nestjs-distributed-lock';
import { throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoorStage, request } from './door.stage.js';

/** The one of Nest's documentation that implements ExceptionFilter. */
@Catch()
class CatchEverything implements ExceptionFilter {
  constructor(protected readonly httpAdapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const { httpAdapter } = this.httpAdapterHost;
    const status = exception instanceof HttpException ? exception.getStatus() : 500;
    const body = { statusCode: status, by: 'the catch-all' };
    httpAdapter.reply(host.switchToHttp().getResponse(), body, status);
  }
}
Reflect.defineMetadata('design:paramtypes', [HttpAdapterHost], CatchEverything);

/** The one that extends BaseExceptionFilter. */
@Catch()
class ExtendsBase extends BaseExceptionFilter {
  override catch(...args: Parameters<ExceptionFilter['catch']>): void {
    super.catch(...args);
  }
}

@Catch(Error)
class CatchErrors extends CatchEverything {}

class NoDecorator extends CatchEverything {}
Reflect.defineMetadata('__filterCatchExceptions__', undefined, NoDecorator);

@Catch(HttpException)
class CatchHttp extends CatchEverything {}

@Catch(LockNotAcquiredError)
class OwnBusy implements ExceptionFilter<LockNotAcquiredError> {
  constructor(private readonly httpAdapterHost: HttpAdapterHost) {}

  catch(error: LockNotAcquiredError, host: ArgumentsHost): void {
    const body = { by: 'its own filter', lock: error.lock };
    this.httpAdapterHost.httpAdapter.reply(host.switchToHttp().getResponse(), body, 418);
  }
}
Reflect.defineMetadata('design:paramtypes', [HttpAdapterHost], OwnBusy);

@Catch(DistributedLockError)
class OwnOfAll extends OwnBusy {}

const CATCH_ALLS: [string, Type<ExceptionFilter>][] = [
  ['implements ExceptionFilter', CatchEverything],
  ['extends BaseExceptionFilter', ExtendsBase],
  ['@Catch(Error)', CatchErrors],
  ['without @Catch', NoDecorator],
  ['@Catch(HttpException)', CatchHttp],
];

/** Throws what the query says, at one of the places at which a request can fail. */
function fail(query: unknown, place: string): void {
  const { at, what } = Object(query);
  if (at !== place) return;
  throw what === 'busy'
    ? new LockNotAcquiredError('catch-all', 5)
    : new LockUnavailableError('catch-all', 'Redis at 10.0.0.1 is away.');
}

@Injectable()
class Guard implements CanActivate {
  canActivate(context: { switchToHttp(): { getRequest(): { query: unknown } } }): boolean {
    fail(context.switchToHttp().getRequest().query, 'guard');
    return true;
  }
}

@Injectable()
class Pipe implements PipeTransform {
  transform(value: unknown): unknown {
    fail(value, 'pipe');
    return value;
  }
}

class Interceptor implements NestInterceptor {
  intercept(...[context, next]: Parameters<NestInterceptor['intercept']>) {
    try {
      fail(context.switchToHttp().getRequest<{ query: unknown }>().query, 'interceptor');
    } catch (error) {
      return throwError(() => error);
    }
    return next.handle();
  }
}

const PLACES = ['handler', 'guard', 'pipe', 'interceptor', 'middleware'];

/** A controller whose class, or method, may bind filters. */
function controllerWith(byClass: readonly unknown[] = [], byMethod: readonly unknown[] = []): Type {
  @Controller()
  @UseGuards(Guard)
  @UsePipes(Pipe)
  @UseInterceptors(new Interceptor())
  class Api {
    @Get('place')
    place(@Query() query: unknown): string {
      fail(query, 'handler');
      return 'ran';
    }

    @Get('guarded')
    @DistributedLock('catch-all')
    async guarded(): Promise<string> {
      return 'ran';
    }

    @Get('broken')
    broken(): string {
      throw new Error('broken');
    }
  }
  const bind = UseFilters as (...filters: unknown[]) => ClassDecorator & MethodDecorator;
  if (byClass.length > 0) bind(...byClass)(Api);
  for (const key of ['place', 'guarded', 'broken']) {
    const descriptor = Reflect.getOwnPropertyDescriptor(Api.prototype, key);
    if (byMethod.length > 0 && descriptor !== undefined) bind(...byMethod)(Api.prototype, key, descriptor);
  }
  return Api;
}

let stage: DoorStage;
const apps: INestApplication[] = [];
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await stage.close();
});

interface Setup {
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: ModuleMetadata['providers'];
  readonly controller?: Type;
  readonly globals?: readonly Type<ExceptionFilter>[];
  readonly refusalFilter?: boolean;
  readonly after?: boolean;
}

async function start({
  imports = [],
  providers = [],
  controller = controllerWith(),
  globals = [],
  refusalFilter = true,
  after = false,
}: Setup): Promise<INestApplication> {
  const locks = stage.locks({}, { refusalFilter });
  @Module({
    imports: after ? [...imports, locks] : [locks, ...imports],
    controllers: [controller],
    providers: [Guard, Pipe, ...providers],
  })
  class AppModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer
        .apply(({ query }: { query: unknown }, _: unknown, next: () => void) => {
          fail(query, 'middleware');
          next();
        })
        .forRoutes('*path');
    }
  }
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  apps.push(app);
  const host = app.get(HttpAdapterHost);
  app.useGlobalFilters(...globals.map((filter) => make(filter, host)));
  await app.listen(0, '127.0.0.1');
  return app;
}

function make(filter: Type<ExceptionFilter>, host: HttpAdapterHost): ExceptionFilter {
  return filter === ExtendsBase ? new ExtendsBase(host.httpAdapter) : new filter(host);
}

async function expectRefusals(app: INestApplication, places: readonly string[] = PLACES): Promise<void> {
  const forms = [
    ['busy', 423, 'NOT_ACQUIRED'],
    ['unavailable', 503, 'UNAVAILABLE'],
  ] as const;
  for (const at of places) {
    for (const [what, status, code] of forms) {
      const answer = await request(app, `/place?at=${at}&what=${what}`);
      expect([at, answer.status, answer.headers.get('retry-after')]).toEqual([at, status, '1']);
      expect(answer.body).toMatchObject({ statusCode: status, code, lock: 'catch-all' });
    }
  }
  await stage.hold('catch-all');
  expect(await request(app, '/guarded')).toMatchObject({ status: 423, body: { code: 'NOT_ACQUIRED' } });
}

/** The application's own filter is still asked for everything else. */
async function expectOwnErrors(app: INestApplication, filter: Type<ExceptionFilter>): Promise<void> {
  const { status, body } = await request(app, '/broken');
  const isOwn = filter !== ExtendsBase && filter !== CatchHttp;
  expect([status, Object(body).by]).toEqual([500, isOwn ? 'the catch-all' : undefined]);
}

describe.each(CATCH_ALLS)('a filter that catches everything, %s,', (_, filter) => {
  const asProvider = { provide: APP_FILTER, useClass: filter };

  test('by useGlobalFilters leaves refusals their form', async () => {
    const app = await start({ globals: [filter] });
    await expectRefusals(app);
    await expectOwnErrors(app, filter);
  });

  test.each([
    ['before', false],
    ['after', true],
  ])(
    'by APP_FILTER of a module that is imported %s the locks leaves refusals their form',
    async (when, after) => {
      @Module({ providers: [asProvider] })
      class Filters {}
      const app = await start({ imports: [Filters], after: when === 'before' ? true : !after });
      await expectRefusals(app);
      await expectOwnErrors(app, filter);
    },
  );

  test('by APP_FILTER of the root module leaves refusals their form', async () => {
    const app = await start({ providers: [asProvider] });
    await expectRefusals(app);
    await expectOwnErrors(app, filter);
  });

  test('on the controller leaves refusals their form', async () => {
    const app = await start({ controller: controllerWith([filter]) });
    await expectRefusals(app);
    await expectOwnErrors(app, filter);
  });

  test('on the method leaves refusals their form', async () => {
    const app = await start({ controller: controllerWith([], [filter]) });
    await expectRefusals(app);
    await expectOwnErrors(app, filter);
  });

  test('at every level at once leaves refusals their form', async () => {
    const app = await start({
      controller: controllerWith([filter], [filter]),
      globals: [filter],
      providers: [asProvider],
    });
    await expectRefusals(app);
    await expectOwnErrors(app, filter);
  });

  test('gets refusals, too, with refusalFilter: false', async () => {
    for (const setup of [
      { globals: [filter] },
      { controller: controllerWith([filter]) },
      { controller: controllerWith([], [filter]) },
    ]) {
      const app = await start({ ...setup, refusalFilter: false });
      const { status, headers } = await request(app, '/place?at=handler&what=busy');
      expect([status, headers.get('retry-after')]).toEqual([500, null]);
    }
  });

  test('on a class that two applications share gets refusals in the one with refusalFilter: false', async () => {
    const controller = controllerWith([filter], [filter]);
    const first = await start({ controller });
    await expectRefusals(first, ['handler']);
    await first.close();
    const second = await start({ controller, refusalFilter: false });
    expect(await request(second, '/place?at=handler&what=busy')).toMatchObject({ status: 500 });
  });
});

describe.each([
  ['@Catch(LockNotAcquiredError)', OwnBusy],
  ['@Catch(DistributedLockError)', OwnOfAll],
])('a filter that names a refusal, %s,', (_, filter) => {
  const expectOwn = async (app: INestApplication) => {
    const { status, body } = await request(app, '/place?at=handler&what=busy');
    expect([status, body]).toEqual([418, { by: 'its own filter', lock: 'catch-all' }]);
  };

  test('gets it by useGlobalFilters', async () => {
    await expectOwn(await start({ globals: [filter] }));
    await expectOwn(await start({ globals: [CatchEverything, filter] }));
  });

  test('gets it by APP_FILTER, in whatever order modules are imported', async () => {
    const asProvider = { provide: APP_FILTER, useClass: filter };
    await expectOwn(await start({ providers: [asProvider] }));
    @Module({ providers: [asProvider] })
    class Filters {}
    for (const after of [true, false]) await expectOwn(await start({ imports: [Filters], after }));
  });

  test('gets it on the controller and on the method, beside one that catches everything', async () => {
    await expectOwn(await start({ controller: controllerWith([CatchEverything, filter]) }));
    await expectOwn(await start({ controller: controllerWith([], [CatchEverything, filter]) }));
    await expectOwn(
      await start({ controller: controllerWith([CatchEverything], [filter]), globals: [CatchEverything] }),
    );
  });
});

test('two applications that share a controller answer with their own status', async () => {
  const controller = controllerWith([CatchEverything]);
  const ports = await Promise.all(
    ([409, 429] as const).map(async (busyStatus) => {
      const app = await stage.boot({
        imports: [stage.locks({ busyStatus })],
        controllers: [controller],
        providers: [Guard, Pipe],
      });
      return [busyStatus, (await request(app, '/place?at=handler&what=busy')).status];
    }),
  );
  expect(ports).toEqual([
    [409, 409],
    [429, 429],
  ]);
});

test("the order of the application's own filters stays as it is", async () => {
  const app = await start({ globals: [CatchHttp, CatchErrors, OwnBusy] });
  expect(await request(app, '/broken')).toMatchObject({ status: 500, body: { by: 'the catch-all' } });
  expect(app.get(LockService)).toBeInstanceOf(LockService);
});
