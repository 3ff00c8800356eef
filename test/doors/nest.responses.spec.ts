import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Next, Redirect, Render, Res, Sse, type INestApplication } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import {
  DistributedLock,
  DistributedLockInterceptor,
  LockService,
  UseDistributedLock,
} from 'nestjs-distributed-lock';
import { of, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { DoorStage, request } from './door.stage.js';

interface Message {
  readonly data: string;
}

/** With the response, to set a cookie or a header, which Nest sends nevertheless. */
@Controller()
class Pages {
  @Get('redirect/decorated')
  @Redirect('/elsewhere')
  @DistributedLock('held')
  async redirect(@Res() _response: unknown): Promise<void> {}

  @Get('redirect/intercepted')
  @Redirect('/elsewhere')
  @UseDistributedLock({ key: 'held' })
  async redirectIntercepted(@Res() _response: unknown): Promise<void> {}

  @Get('page/decorated')
  @DistributedLock('held')
  @Render('page')
  async page(@Res() _response: unknown): Promise<object> {
    return {};
  }

  @Get('page/intercepted')
  @UseDistributedLock({ key: 'held' })
  @Render('page')
  async pageIntercepted(@Res() _response: unknown): Promise<object> {
    return {};
  }

  @Sse('events/decorated')
  @DistributedLock('held')
  async events(@Res() _response: unknown): Promise<Observable<Message>> {
    return of({ data: 'the page' });
  }

  @Sse('events/intercepted')
  @UseDistributedLock({ key: 'held' })
  eventsIntercepted(@Res() _response: unknown): Observable<Message> {
    return of({ data: 'the page' });
  }

  @Sse('stream/decorated')
  @DistributedLock('held')
  stream(@Res() _response: unknown): Observable<Message> {
    return of({ data: 'the page' });
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

describe('a handler with @Res() for which Nest sends the response', () => {
  let views: string;
  beforeEach(async () => {
    views = await mkdtemp(join(tmpdir(), 'views-'));
    await writeFile(join(views, 'page.txt'), '');
  });
  afterEach(() => rm(views, { recursive: true }));

  /** The application, whose pages all have the same text. */
  async function start(): Promise<INestApplication> {
    const app = await stage.start({ controllers: [Pages] });
    const express: {
      engine(
        ending: string,
        render: (path: string, options: object, done: (error: null, text: string) => void) => void,
      ): void;
      set(name: string, value: string): void;
    } = app.getHttpAdapter().getInstance();
    express.engine('txt', (_path, _options, done) => done(null, 'the page'));
    express.set('view engine', 'txt');
    express.set('views', views);
    return app;
  }

  test.each([
    ['redirect/decorated', 302, '/elsewhere'],
    ['redirect/intercepted', 302, '/elsewhere'],
    ['page/decorated', 200, 'the page'],
    ['page/intercepted', 200, 'the page'],
    ['events/decorated', 200, 'the page'],
    ['events/intercepted', 200, 'the page'],
    ['stream/decorated', 200, 'the page'],
  ])('is answered, and its lock is free afterwards: %s', async (path, status, content) => {
    const app = await start();
    const signal = AbortSignal.timeout(scaled(3000));
    const answer = await fetch(`${await app.getUrl()}/${path}`, { redirect: 'manual', signal });
    expect(answer.status).toBe(status);
    const text = await answer.text();
    expect(answer.headers.get('location') ?? text).toContain(content);
    expect(await (await stage.services.open()).getLock('held').isLocked()).toBe(false);
  });
});

describe('a handler that answers itself, and whose refused calls are skipped', () => {
  test('is refused at boot with @Next(), too', async () => {
    @Controller()
    class Files {
      @Get()
      @DistributedLock('held', { onBusy: 'skip' })
      async next(@Next() next: () => void): Promise<void> {
        next();
      }
    }
    await expect(stage.start({ controllers: [Files] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('@Next()'),
    });
  });

  test('is answered with the refusal by an interceptor that is bound by hand', async () => {
    @Controller()
    class Files {
      @Get('self')
      self(@Res() response: { end(text: string): void }): void {
        response.end('sent');
      }

      @Get('plain')
      plain(): string {
        return 'sent';
      }
    }
    const interceptor = {
      provide: APP_INTERCEPTOR,
      useFactory: (locks: LockService) =>
        new DistributedLockInterceptor(locks, { key: 'held', onBusy: 'skip' }),
      inject: [LockService],
    };
    const app = await stage.start({ controllers: [Files], providers: [interceptor] });
    const handle = await stage.hold('held');
    expect((await request(app, '/plain')).status).toBe(200);
    expect((await request(app, '/self', { signal: AbortSignal.timeout(scaled(3000)) })).status).toBe(423);
    await handle.unlock();
    expect((await request(app, '/self')).body).toBe('sent');
  });
});
