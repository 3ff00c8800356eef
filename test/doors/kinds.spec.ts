import { Controller, Get, Inject, Param, Post, type ExecutionContext } from '@nestjs/common';
import { currentLock, DistributedLock, LockService, UseDistributedLock } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../locks/gate.js';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

/** What goes on in all applications of a test. */
class Scene {
  readonly reading = new Gate();
  readonly writing = new Gate();
  readonly turns: string[] = [];
  readers = 0;
  writers = 0;
}

interface Request {
  readonly params: Readonly<Record<string, string>>;
}

const bookOf = (context: ExecutionContext) =>
  `book:${context.switchToHttp().getRequest<Request>().params['id']}`;

@Controller()
class Library {
  constructor(
    @Inject(Scene) readonly scene: Scene,
    @Inject(LockService) readonly locks: LockService,
  ) {}

  @Get('books/:id')
  @DistributedLock('book:{0}', { kind: 'read', waitTime: '20s' })
  async read(@Param('id') _id: string) {
    const { scene } = this;
    const { writers } = scene;
    scene.readers += 1;
    await scene.reading.opened;
    scene.readers -= 1;
    return { writers };
  }

  @Get('books/:id/cover')
  @UseDistributedLock({ key: bookOf, kind: 'read' })
  async look() {
    return currentLock()?.name;
  }

  @Post('books/:id')
  @DistributedLock((id: string) => `book:${id}`, { kind: 'write', waitTime: '20s' })
  async write(@Param('id') _id: string) {
    const { scene } = this;
    const { readers, writers } = scene;
    scene.writers += 1;
    await scene.writing.opened;
    scene.writers -= 1;
    return { readers, writers };
  }

  @Post('books/:id/proof')
  @DistributedLock('book:{0}', { kind: 'write' })
  async proofread(@Param('id') id: string) {
    const { holder } = currentLock() ?? {};
    await this.read(id);
    return { inner: await this.holderOfRead(id), holder };
  }

  @DistributedLock('book:{0}', { kind: 'read' })
  async holderOfRead(_id: string) {
    return currentLock()?.holder;
  }

  @Get('books/:id/correction')
  @DistributedLock('book:{0}', { kind: 'read' })
  async correct(@Param('id') id: string) {
    return await this.write(id);
  }

  @Post('turns/:who')
  @DistributedLock('turns', { kind: 'fair', waitTime: '20s' })
  async takeTurn(@Param('who') who: string) {
    this.scene.turns.push(who);
  }

  @Post('deeds')
  @DistributedLock('deed', { kind: 'fenced' })
  async sign() {
    const first = currentLock()?.token;
    const again = await this.sealed();
    return { first: `${first}`, again: `${again}`, type: typeof first };
  }

  @DistributedLock('deed', { kind: 'fenced' })
  async sealed() {
    return currentLock()?.token;
  }

  @Post('plain/:id')
  @DistributedLock('book:{0}', { onBusy: 'skip' })
  async plain(@Param('id') _id: string): Promise<string | undefined> {
    return 'ran';
  }

  @Post('intercepted/:id')
  @UseDistributedLock({ key: bookOf, kind: 'fair', onBusy: 'skip' })
  async intercepted() {
    return 'ran';
  }
}

let stage: DoorStage;
let scene: Scene;
beforeEach(() => {
  stage = new DoorStage();
  scene = new Scene();
});
afterEach(async () => {
  scene.reading.open();
  scene.writing.open();
  await stage.close();
});

async function start() {
  const app = await stage.start({
    controllers: [Library],
    providers: [{ provide: Scene, useValue: scene }],
  });
  return {
    locks: app.get(LockService),
    get: (path: string) => request(app, path),
    post: (path: string) => request(app, path, { method: 'POST' }),
  };
}

/** Whether a key of this test's locks has this in its name. */
async function exists(part: string): Promise<boolean> {
  return (await stage.services.keys()).some((key) => key.includes(part));
}

describe('kind read', () => {
  test('lets calls of the whole fleet run together, and a write waits for all of them', async () => {
    const [here, there] = [await start(), await start()];
    const reads = [here.get('/books/7'), here.get('/books/7'), there.get('/books/7')];
    await until('all three read', () => scene.readers === 3);
    const write = there.post('/books/7');
    await until('the writer waits', () => exists('write_intent'));
    expect(scene.writers).toBe(0);
    scene.writing.open();
    scene.reading.open();
    for (const answer of await Promise.all(reads))
      expect(answer).toMatchObject({ status: 200, body: { writers: 0 } });
    expect(await write).toMatchObject({ status: 201, body: { readers: 0, writers: 0 } });
    await until('no key is left', async () => (await stage.services.keys()).length === 0);
  });

  test('of an interceptor shares with the decorator', async () => {
    const { get } = await start();
    const read = get('/books/7');
    await until('it reads', () => scene.readers === 1);
    expect(await get('/books/7/cover')).toMatchObject({ status: 200, body: 'book:7' });
    scene.reading.open();
    expect(await read).toMatchObject({ status: 200 });
  });

  test('refuses a nested write at once, however long it would wait, and releases what it read', async () => {
    const { get } = await start();
    scene.writing.open();
    expect(await get('/books/7/correction')).toMatchObject({ status: 500 });
    expect(stage.logged).toEqual([
      expect.stringContaining(
        'This code holds the read lock "book:7", and requests the write lock: it would wait for itself. Acquire the write lock first',
      ),
    ]);
    expect(await stage.services.keys()).toEqual([]);
  });
});

describe('kind write', () => {
  test('excludes reads and writes of the whole fleet', async () => {
    const [here, there] = [await start(), await start()];
    const write = here.post('/books/7');
    await until('it writes', () => scene.writers === 1);
    expect(await there.get('/books/7/cover')).toMatchObject({ status: 423, body: { lock: 'book:7' } });
    expect(await here.get('/books/7/cover')).toMatchObject({ status: 423 });
    expect(await there.get('/books/8/cover')).toMatchObject({ status: 200 });
    const others = [there.get('/books/7'), there.post('/books/7')];
    await until('they wait', async () => (await stage.services.channels()).length > 0);
    scene.reading.open();
    scene.writing.open();
    expect(await write).toMatchObject({ status: 201, body: { readers: 0, writers: 0 } });
    const [read, second] = await Promise.all(others);
    expect(read).toMatchObject({ status: 200, body: { writers: 0 } });
    expect(second).toMatchObject({ status: 201, body: { readers: 0, writers: 0 } });
  });

  test('may call what is guarded by read, under its own holder', async () => {
    const { post } = await start();
    scene.reading.open();
    const { status, body } = await post('/books/7/proof');
    const { inner, holder }: { readonly inner?: string; readonly holder?: string } = Object(body);
    expect(status).toBe(201);
    expect(inner).toBe(holder);
    expect(await stage.services.keys()).toEqual([]);
  });
});

test('kind fair runs calls in the order in which the fleet requested the lock', async () => {
  const [here, there] = [await start(), await start()];
  const held = await (await stage.services.open()).getFairLock('turns').lock();
  const { admin, prefix } = stage.services;
  const calls = [];
  for (const [place, who] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
    calls.push((place % 2 === 0 ? here : there).post(`/turns/${who}`));
    const queue = `redisson_lock_queue:{${prefix}turns}`;
    await until(`${who} stands in the queue`, async () => (await admin.llen(queue)) === place + 1);
  }
  expect(scene.turns).toEqual([]);
  await held.unlock();
  for (const answer of await Promise.all(calls)) expect(answer.status).toBe(201);
  expect(scene.turns).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('kind fenced gives each call a higher token, a nested one too', async () => {
  const [here, there] = [await start(), await start()];
  const tokens: bigint[] = [];
  for (const app of [here, there, here]) {
    const { status, body } = await app.post('/deeds');
    expect({ status, body }).toMatchObject({ status: 201, body: { type: 'bigint' } });
    const { first, again }: Readonly<Record<string, string>> = Object(body);
    tokens.push(BigInt(`${first}`), BigInt(`${again}`));
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens).size).toBe(6);
  expect(await there.locks.getFencedLock('deed').getToken()).toBe(tokens.at(-1));
  // The token of a name outlives its locks.
  await stage.services.admin.del(await stage.services.keys());
});

describe('two kinds on one name in one application', () => {
  test.each([
    ['decorator', '/plain/7', 're-entrant lock'],
    ['interceptor', '/intercepted/7', 'fair lock'],
  ])(
    'are a mistake and not a busy lock: 500, the sentence in the log, nothing sent (%s)',
    async (_, path, second) => {
      const { get, post } = await start();
      expect(await get('/books/7/cover')).toMatchObject({ status: 200 });
      let answer: unknown;
      const sent = await stage.sent(async () => {
        answer = await post(path);
      });
      expect(answer).toMatchObject({ status: 500, body: { message: 'Internal server error' } });
      expect(sent).toEqual([]);
      expect(stage.logged).toEqual([
        expect.stringContaining(
          `"book:7" is a read/write lock in this application, and cannot also be a ${second}. Use one kind of lock`,
        ),
      ]);
    },
  );
});
