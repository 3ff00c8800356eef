import { Controller, Get, Inject, Param, Post, type ExecutionContext } from '@nestjs/common';
import {
  assertLocked,
  currentLock,
  DistributedLock,
  LockService,
  UseDistributedLock,
  type BusyContext,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../locks/gate.js';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

/** Balances that lose a change when two read them before one writes. */
class Bank {
  readonly balances = new Map([
    ['1', 1000],
    ['2', 1000],
  ]);
  readonly gate = new Gate();
  readers = 0;

  async move(from: string, to: string, sum: number): Promise<void> {
    const [debit = 0, credit = 0] = [from, to].map((id) => this.balances.get(id));
    await new Promise((resolve) => setImmediate(resolve));
    this.balances.set(from, debit - sum);
    await new Promise((resolve) => setImmediate(resolve));
    this.balances.set(to, credit + sum);
  }
}

interface Request {
  readonly params: Readonly<Record<string, string>>;
}

const accountsOf = (from: string, to: string) => [`account:${from}`, `account:${to}`];
const pathAccounts = (context: ExecutionContext) => {
  const { from = '', to = '' } = context.switchToHttp().getRequest<Request>().params;
  return accountsOf(from, to);
};

@Controller()
class Transfers {
  constructor(
    @Inject(Bank) readonly bank: Bank,
    @Inject(LockService) readonly locks: LockService,
  ) {}

  @Post('transfers/:from/:to')
  @DistributedLock(accountsOf, { waitTime: '20s' })
  async transfer(@Param('from') from: string, @Param('to') to: string) {
    await this.bank.move(from, to, 1);
    return currentLock()?.name;
  }

  @Post('hasty/:from/:to')
  @DistributedLock(['account:{0}', 'account:{1}'])
  async hasty(@Param('from') _from: string, @Param('to') _to: string) {}

  @Post('answering/:from/:to')
  @DistributedLock(accountsOf, {
    onBusy: ({ name, args, holder }: BusyContext<[string, string]>) => ({ name, args, holder }),
  })
  async answering(@Param('from') _from: string, @Param('to') _to: string): Promise<object> {
    return {};
  }

  @Post('skipping/:from/:to')
  @DistributedLock(accountsOf, { onBusy: 'skip' })
  async skipping(@Param('from') _from: string, @Param('to') _to: string): Promise<string | undefined> {
    return 'ran';
  }

  @Post('intercepted/:from/:to')
  @UseDistributedLock({ key: pathAccounts })
  async intercepted(@Param('from') from: string) {
    return { name: currentLock()?.name, back: await this.count(from) };
  }

  @Get('nested/:from/:to')
  @DistributedLock(accountsOf)
  async nested(@Param('from') from: string, @Param('to') to: string) {
    const handle = currentLock();
    assertLocked(`${handle?.name}`);
    const again = await this.inner(to, from);
    return { again, single: await this.count(to), left: await this.countOf(to), isHeld: handle?.isHeld };
  }

  @DistributedLock(accountsOf)
  async inner(from: string, to: string) {
    return [await this.countOf(from), await this.countOf(to), await this.count(from)];
  }

  @DistributedLock('account:{0}')
  async count(id: string) {
    return await this.countOf(id);
  }

  async countOf(id: string) {
    return await this.locks.getLock(`account:${id}`).getHoldCount();
  }

  @Get('statements/:from/:to')
  @DistributedLock((from: string, to: string) => [`statement:${from}`, `statement:${to}`], {
    kind: 'read',
    waitTime: '20s',
  })
  async read(@Param('from') _from: string, @Param('to') _to: string) {
    this.bank.readers += 1;
    await this.bank.gate.opened;
    this.bank.readers -= 1;
  }

  @Post('statements/:id')
  @DistributedLock('statement:{0}', { kind: 'write', waitTime: '20s' })
  async write(@Param('id') _id: string) {
    return { readers: this.bank.readers };
  }

  @Get('none/:count')
  @DistributedLock((count: string) => Array.from<string>({ length: Number(count) }), { onBusy: 'skip' })
  async none(@Param('count') _count: string): Promise<string | undefined> {
    return 'ran';
  }

  @Get('nobody')
  @UseDistributedLock({ key: () => [], onBusy: 'skip' })
  async nobody() {
    return 'ran';
  }
}

let stage: DoorStage;
let bank: Bank;
beforeEach(() => {
  stage = new DoorStage();
  bank = new Bank();
});
afterEach(async () => {
  bank.gate.open();
  await stage.close();
});

async function start() {
  const app = await stage.start({
    controllers: [Transfers],
    providers: [{ provide: Bank, useValue: bank }],
  });
  return {
    locks: app.get(LockService),
    get: (path: string) => request(app, path),
    post: (path: string) => request(app, path, { method: 'POST' }),
  };
}

describe('a method with several keys', () => {
  test('moves money in opposite directions at the same time: no deadlock, and nothing is lost', async () => {
    const apps = [await start(), await start()];
    const calls = Array.from({ length: 60 }, (_, call) =>
      apps[call % 2]?.post(call % 3 === 0 ? '/transfers/1/2' : '/transfers/2/1'),
    );
    for (const answer of await Promise.all(calls))
      expect(answer).toMatchObject({ status: 201, body: 'account:1, account:2' });
    expect([...bank.balances]).toEqual([
      ['1', 1020],
      ['2', 980],
    ]);
    await until('nothing is left', async () => (await stage.services.keys()).length === 0);
  });

  test('is re-entered by a nested call that names them in another order, and by one of a single key', async () => {
    const { get } = await start();
    expect(await get('/nested/1/2')).toMatchObject({
      status: 200,
      body: { again: [2, 2, 3], single: 2, left: 1, isHeld: true },
    });
    expect(await stage.services.keys()).toEqual([]);
  });

  test('takes a name that is given twice once, and is then under that lock', async () => {
    const { post } = await start();
    expect(await post('/transfers/1/1')).toMatchObject({ status: 201, body: 'account:1' });
    expect(await post('/intercepted/1/1')).toMatchObject({ body: { name: 'account:1', back: 2 } });
  });

  test('of a kind takes all of them in that kind', async () => {
    const { get, post } = await start();
    const reads = [get('/statements/1/2'), get('/statements/2/3')];
    await until('they read', () => bank.readers === 2);
    const writes = [post('/statements/1'), post('/statements/3')];
    await until('both writers wait', async () => {
      const keys = await stage.services.keys();
      return keys.filter((key) => key.includes('write_intent')).length === 2;
    });
    bank.gate.open();
    for (const answer of await Promise.all(reads)) expect(answer.status).toBe(200);
    for (const { status } of await Promise.all(writes)) expect(status).toBe(201);
    await until('no key is left', async () => (await stage.services.keys()).length === 0);
  });
});

describe('while one of its locks is held, a method with several keys', () => {
  test('is refused with 423 that names them all, and keeps none', async () => {
    const { post, locks } = await start();
    await stage.hold('account:2');
    expect(await post('/hasty/2/1')).toMatchObject({
      status: 423,
      body: {
        message: 'Lock "account:1, account:2" is held. Try again later.',
        lock: 'account:1, account:2',
      },
    });
    expect(await locks.getLock('account:1').isLocked()).toBe(false);
    expect(await post('/intercepted/2/1')).toMatchObject({
      status: 423,
      body: { lock: 'account:1, account:2' },
    });
  });

  test('answers by onBusy, which knows them all, and by the skip that is noted', async () => {
    const { post } = await start();
    const { holder } = await stage.hold('account:2');
    expect((await post('/answering/2/1')).body).toEqual({
      name: 'account:1, account:2',
      args: ['2', '1'],
      holder,
    });
    expect(await post('/skipping/2/1')).toMatchObject({ status: 201, body: '' });
    expect(stage.logged).toContain(
      `debug: Transfers.skipping was not run: lock "account:1, account:2" is held by ${holder}.`,
    );
  });

  test('waits for it', async () => {
    const { post } = await start();
    const held = await stage.hold('account:2');
    const answer = post('/transfers/1/2');
    await until('it waits', async () => (await stage.services.channels()).length > 0);
    await held.unlock();
    expect(await answer).toMatchObject({ status: 201 });
  });
});

test('an interceptor reads several keys from the request', async () => {
  const { post } = await start();
  expect(await post('/intercepted/2/1')).toMatchObject({
    status: 201,
    body: { name: 'account:1, account:2', back: 2 },
  });
  expect(await stage.services.keys()).toEqual([]);
});

test.each([
  ['/none/0', 'The key function of Transfers.none returned an empty array'],
  ['/none/2', 'The key function of Transfers.none returned an array with undefined at [0]'],
  ['/nobody', 'The key function of Transfers.nobody returned an empty array'],
])(
  'keys that are no names are an error that names their place, and nothing is sent: %s',
  async (path, said) => {
    const { get } = await start();
    let answer: unknown;
    const sent = await stage.sent(async () => {
      answer = await get(path);
    });
    expect(answer).toMatchObject({ status: 500 });
    expect(sent).toEqual([]);
    expect(stage.logged).toEqual([
      expect.stringContaining(`${said}; a key is a name, or an array of names. Use a name`),
    ]);
  },
);
