import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Catch,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type ArgumentsHost,
  type ExceptionFilter,
  type INestApplication,
} from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import * as own from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as ownTesting from '../../libs/distributed-lock/src/testing/index.js';
import { DoorStage, request } from '../doors/door.stage.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
/** The copy that a library of CommonJS loads, beside this one. */
const other = require(join(ROOT, 'dist/cjs/index.js')) as typeof own;

type AnyClass = abstract new (...args: never[]) => unknown;

/** One instance of each class whose `instanceof` is asked: by users, by Nest in a filter, or by the library. */
const ASKED: Record<string, (copy: typeof own) => unknown> = {
  DistributedLockError: (copy) => new copy.DistributedLockError('LOST', 'Gone.'),
  LockNotAcquiredError: (copy) => new copy.LockNotAcquiredError('x', 0),
  LockLostError: (copy) => new copy.LockLostError('x', 'why'),
  LockUnavailableError: (copy) => new copy.LockUnavailableError('x', 'Away.'),
  LockConfigurationError: (copy) => new copy.LockConfigurationError('INVALID_NAME', 'No.'),
  StaleTokenError: (copy) => new copy.StaleTokenError('fence', 1n, 2n),
  LockService: (copy) => Object.create(copy.LockService.prototype),
};
/** Classes of which no instance is asked for, and why. */
const NOT_ASKED: Record<string, string> = {
  DistributedLockModule: 'a module is a token, and each copy has its own',
  DistributedLockInterceptor: 'bound, never compared',
  LockRefusalFilter: 'bound by the module of the same copy',
  DistributedLockTestingModule: 'a module',
  LockTestingControl: 'a test loads one copy',
  MemoryStore: 'handed over, never compared',
};

const isClass = (value: unknown): value is AnyClass =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

test('every exported class has an answer', () => {
  const classes = Object.entries({ ...own, ...ownTesting })
    .filter(([, value]) => isClass(value))
    .map(([name]) => name);
  expect(classes.toSorted()).toEqual([...Object.keys(ASKED), ...Object.keys(NOT_ASKED)].toSorted());
});

test('there are two copies', () => {
  expect(other.LockNotAcquiredError).not.toBe(own.LockNotAcquiredError);
});

describe.each(Object.entries(ASKED))('%s', (name, make) => {
  const classOf = (copy: typeof own): AnyClass => Reflect.get(copy, name);

  test('is one class to instanceof, whichever copy made the instance', () => {
    for (const copy of [own, other]) {
      const instance = make(copy);
      expect(instance instanceof classOf(own)).toBe(true);
      expect(instance instanceof classOf(other)).toBe(true);
    }
  });

  test('is distinguished from every other class', () => {
    for (const [otherName, makeOther] of Object.entries(ASKED)) {
      const isAbove = name === 'DistributedLockError' && otherName !== 'LockService';
      if (otherName === name || isAbove) continue;
      expect([otherName, makeOther(other) instanceof classOf(own)]).toEqual([otherName, false]);
    }
    for (const value of [new Error('x'), {}, null, undefined, 'x', Object.create(null), () => 7])
      expect(value instanceof classOf(own)).toBe(false);
  });
});

describe('a subclass of a user', () => {
  class Busy extends own.LockNotAcquiredError {}
  class OtherBusy extends other.LockNotAcquiredError {}

  test('is an instance of what it extends, of both copies, and nothing else is one of it', () => {
    for (const instance of [new Busy('x', 0), new OtherBusy('x', 0)]) {
      for (const copy of [own, other]) {
        expect(instance).toBeInstanceOf(copy.LockNotAcquiredError);
        expect(instance).toBeInstanceOf(copy.DistributedLockError);
        expect(instance).not.toBeInstanceOf(copy.LockUnavailableError);
      }
    }
    expect(new Busy('x', 0)).toBeInstanceOf(Busy);
    expect(new own.LockNotAcquiredError('x', 0) instanceof Busy).toBe(false);
    expect(new OtherBusy('x', 0) instanceof Busy).toBe(false);
  });
});

/** What a library that loads the other copy has. */
@Injectable()
class Library {
  constructor(@Inject(other.LockService) readonly locks: own.LockService) {}

  @other.DistributedLock('copies')
  async guarded(): Promise<string> {
    return 'ran';
  }

  async nested(): Promise<string> {
    return await this.locks.getLock('copies').using(() => 'ran', { waitTime: 0 });
  }

  failing(): never {
    throw new other.LockUnavailableError('copies', 'Away.');
  }

  refused(): never {
    throw new other.LockNotAcquiredError('copies', 5);
  }
}

@Controller()
class Api {
  constructor(
    @Inject(Library) private readonly library: Library,
    @Inject(own.LockService) readonly locks: own.LockService,
  ) {}

  @Get('guarded')
  guarded(): Promise<string> {
    return this.library.guarded();
  }

  @Get('nested')
  nested(): Promise<string> {
    return this.library.nested();
  }

  @Get('refused')
  refused(): never {
    return this.library.refused();
  }

  @Get('failing')
  failing(): never {
    return this.library.failing();
  }
}

@Catch(own.LockNotAcquiredError)
class OwnFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: own.LockNotAcquiredError, host: ArgumentsHost): void {
    this.host.httpAdapter.reply(host.switchToHttp().getResponse(), { lock: error.lock }, 418);
  }
}

describe('an application whose library loads another copy', () => {
  let stage: DoorStage;
  let app: INestApplication;
  beforeEach(async () => {
    stage = new DoorStage();
    app = await stage.start({ providers: [Library], controllers: [Api] });
  });
  afterEach(() => stage.close());

  test('has one service', () => {
    expect(app.get(Library).locks).toBe(app.get(own.LockService));
    expect(app.get(other.LockService)).toBe(app.get(own.LockService));
    expect(app.get(Library).locks).toBeInstanceOf(other.LockService);
  });

  test.each(['guarded', 'nested', 'refused'])('answers 423 to a busy lock: %s', async (path) => {
    await stage.hold('copies');
    expect(await request(app, `/${path}`)).toMatchObject({ status: 423, body: { code: 'NOT_ACQUIRED' } });
  });

  test('answers 503 where locks cannot be taken', async () => {
    expect(await request(app, '/failing')).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  });

  test('re-enters across the copies', async () => {
    const library = app.get(Library);
    await app
      .get(own.LockService)
      .getLock('copies')
      .using(async () => {
        await expect(library.guarded()).resolves.toBe('ran');
      });
  });

  test('has its filter called for the errors of both', async () => {
    @Module({ imports: [stage.locks()], providers: [Library], controllers: [Api] })
    class AppModule {}
    const filtered = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    filtered.useGlobalFilters(new OwnFilter(filtered.get(HttpAdapterHost)));
    await filtered.listen(0, '127.0.0.1');
    try {
      expect(await request(filtered, '/refused')).toMatchObject({ status: 418, body: { lock: 'copies' } });
    } finally {
      await filtered.close();
    }
  });
});
