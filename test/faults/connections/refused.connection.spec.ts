import { Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../../tools/redis/redis.types.js';
import { LockUnavailableError } from '../../../libs/distributed-lock/src/errors/lock.errors.js';
import type { RedisSource } from '../../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../../support/slowness.js';
import { until } from '../../support/until.js';
import { LogLines } from './log.lines.js';

/** What a Redis user may do who may do anything but one command. */
const USER = 'locks';
const PASSWORD = 's3cret';

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP'));

/** A server that can be restarted at its port, and the services on it. */
class Stage {
  #server!: RunningRedis;
  #admin!: Redis;
  readonly #services: LockService[] = [];
  #log!: LogLines;

  async start(...args: string[]): Promise<void> {
    this.#server = await startRedis({ args });
    this.#admin = this.#connect();
    this.#log = new LogLines();
  }

  get lines(): readonly string[] {
    return this.#log.lines;
  }

  get printed(): readonly string[] {
    return this.#log.printed;
  }

  get port(): number {
    return this.#server.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get admin(): Redis {
    return this.#admin;
  }

  /** The user may do all but what `rules` take away. */
  async allow(...rules: string[]): Promise<void> {
    await this.#admin.acl('SETUSER', USER, 'reset', 'on', `>${PASSWORD}`, '~*', '&*', '+@all', ...rules);
  }

  /** Ends every connection but that of the admin. */
  async cut(): Promise<void> {
    await this.#admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await this.#admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
  }

  async restart(...args: string[]): Promise<void> {
    const { port } = this;
    this.#admin.disconnect();
    await this.#server.kill();
    this.#server = await startRedis({ port, args });
    this.#admin = this.#connect();
  }

  async open(source: RedisSource, commandTimeout = 300): Promise<LockService> {
    const settings = readSettings({ commandTimeout, shutdownTimeout: 100, serverCheck: false });
    const service = await openLockService(settings, source);
    this.#services.push(service);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.shutDown()));
    this.#admin.disconnect();
    await this.#server.stop();
  }

  #connect(): Redis {
    const admin = new Redis({ port: this.port });
    admin.on('error', () => undefined);
    return admin;
  }
}

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** The error with which an application does not start. */
async function bootError(source: RedisSource): Promise<LockUnavailableError> {
  const [error] = await bootErrors([source]);
  if (error === undefined) throw new Error('there is no error');
  return error;
}

/** The errors with which applications that boot side by side do not start, each within the time of a boot. */
async function bootErrors(sources: readonly RedisSource[]): Promise<LockUnavailableError[]> {
  const before = sockets().length;
  const start = performance.now();
  const errors = await Promise.all(
    sources.map((source) =>
      stage.open(source).then(
        () => new Error('it started'),
        (reason: unknown) => reason,
      ),
    ),
  );
  expect(performance.now() - start).toBeLessThan(5000 + scaled(1500));
  await until('their sockets are closed', () => sockets().length <= before);
  return errors.map((error) => {
    if (error instanceof LockUnavailableError) return error;
    throw error;
  });
}

/** What a caller without much time is refused with. */
async function refusal(service: LockService): Promise<unknown> {
  return await service
    .getLock('refused')
    .tryLock()
    .then(
      (handle) => handle,
      (error: unknown) => error,
    );
}

/** Until the connection is as it was asked for again. */
async function recovers(service: LockService): Promise<void> {
  const handle = await service.getLock('recovered').lock({ waitTime: scaled(5000) });
  expect(await handle.unlock()).toBe('released');
}

describe('a database that the server does not give', () => {
  test.each([3, 4])(
    'fails the boot with database %i of two, its address and the reason',
    async (database) => {
      await stage.start('--databases', '2');
      const { code, message, remedy } = await bootError(`redis://${stage.address}/${database}`);
      expect([code, remedy]).toEqual(['UNAVAILABLE', 'Correct the redis options.']);
      for (const part of [stage.address, `SELECT ${database}`, 'out of range', 'database 0'])
        expect(message).toContain(part);
      expect(message).not.toContain('could not be reached');
      expect(stage.printed).toEqual([]);
      expect(await stage.admin.dbsize()).toBe(0);
    },
  );

  test('fails the boot of a user that may not select one', async () => {
    await stage.start();
    await stage.allow('-select');
    const options = { port: stage.port, host: '127.0.0.1', username: USER, password: PASSWORD, db: 1 };
    const client = new Redis(options);
    client.on('error', () => undefined);
    await until('it is connected', () => client.status === 'ready');
    const sources = [`redis://${USER}:${PASSWORD}@${stage.address}/1`, options, client];
    for (const { message } of await bootErrors(sources)) {
      for (const part of [stage.address, 'SELECT 1', 'NOPERM']) expect(message).toContain(part);
      expect(message).not.toContain(PASSWORD);
    }
    client.disconnect();
  });

  test('refuses each lock of an application that connects later, and writes nothing elsewhere', async () => {
    await stage.start('--databases', '2');
    const service = await stage.open({ port: stage.port, db: 3, lazyConnect: true });
    for (let call = 0; call < 3; call += 1)
      expect(await refusal(service)).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/SELECT 3 .*out of range/),
      });
    await expect(service.getLock('late').lock({ waitTime: 400 })).rejects.toMatchObject({
      message: expect.stringContaining('SELECT 3'),
    });
    expect(await stage.admin.dbsize()).toBe(0);
  });

  test('refuses locks after a restart of the server with fewer databases, until it has them again', async () => {
    await stage.start();
    const service = await stage.open(`redis://${stage.address}/3`);
    const held = await service.getLock('held').lock({ leaseTime: '30s' });
    await stage.restart('--databases', '2');
    await until('the connection is known to be wrong', async () =>
      String(await refusal(service)).includes('SELECT 3'),
    );
    expect(held.isHeld).toBe(true);
    expect(await stage.admin.dbsize()).toBe(0);
    const waiting = service.getLock('waiting').lock({ waitTime: scaled(8000) });
    await stage.restart();
    expect(await (await waiting).unlock()).toBe('released');
    await recovers(service);
    await until('the log says both', () =>
      ['SELECT 3', 'is back'].every((part) => stage.lines.some((line) => line.includes(part))),
    );
    expect(stage.printed).toEqual([]);
  });

  test('refuses locks once the permission is taken away and the connections are cut', async () => {
    await stage.start();
    await stage.allow();
    const service = await stage.open(`redis://${USER}:${PASSWORD}@${stage.address}/2`);
    await recovers(service);
    const signal = (await service.getLock('renewed').lock()).signal;
    await stage.allow('-select');
    await stage.cut();
    await until('it is refused', async () => String(await refusal(service)).includes('SELECT 2'));
    expect(signal.aborted).toBe(false);
    expect(await stage.admin.dbsize()).toBe(0);
    await stage.allow();
    await recovers(service);
  });
});

describe('a user that the server does not know so', () => {
  test.each([
    ['a wrong password', { password: 'wrong' }, 'WRONGPASS'],
    ['no password', {}, 'NOAUTH'],
    ['an unknown user', { username: 'nobody', password: 'wrong' }, 'WRONGPASS'],
  ] as const)('fails the boot with %s', async (_, login: RedisOptions, reason) => {
    await stage.start();
    await stage.admin.config('SET', 'requirepass', PASSWORD);
    const { message, remedy } = await bootError({
      host: '127.0.0.1',
      port: stage.port,
      ...login,
    } as RedisSource);
    for (const part of [stage.address, reason]) expect(message).toContain(part);
    expect(message).not.toContain('lazyConnect');
    expect(remedy).toMatch(/the password in the option redis\.$/);
    expect(stage.printed).toEqual([]);
  });

  test('refuses locks after a change of the password and a cut, until it is as it was', async () => {
    await stage.start();
    await stage.allow();
    const service = await stage.open(`redis://${USER}:${PASSWORD}@${stage.address}`);
    await stage.admin.acl('SETUSER', USER, 'resetpass', '>another');
    await stage.cut();
    await until('it is refused', async () => String(await refusal(service)).includes('WRONGPASS'));
    expect(String(await refusal(service))).not.toContain(PASSWORD);
    await stage.allow();
    await recovers(service);
    expect(stage.printed).toEqual([]);
  });

  test('is logged when the server needs no password, and is used', async () => {
    await stage.start();
    const service = await stage.open(`redis://:${PASSWORD}@${stage.address}?protocol=2`);
    await recovers(service);
    const said = stage.lines.filter((line) => line.includes('password'));
    expect(said).toEqual([expect.stringContaining(stage.address)]);
    await stage.cut();
    await recovers(service);
    expect(stage.lines.filter((line) => line.includes('password'))).toHaveLength(1);
    expect(stage.printed).toEqual([]);
  });
});

describe('a server that is no master', () => {
  test('fails the boot, and refuses after a reconnect until it is one', async () => {
    await stage.start();
    const service = await stage.open(`redis://${stage.address}`);
    await stage.admin.replicaof('127.0.0.1', 1);
    await stage.cut();
    await until('it is refused', async () => String(await refusal(service)).includes('replica'));
    const { message } = await bootError(`redis://${stage.address}`);
    for (const part of [stage.address, 'replica of 127.0.0.1:1']) expect(message).toContain(part);
    await stage.admin.replicaof('NO', 'ONE');
    await recovers(service);
  });
});

describe('what a user may not do although nothing depends on it', () => {
  test('is logged once where the server cannot be checked, and is no reason to refuse', async () => {
    await stage.start();
    await stage.allow('-info', '-client');
    const service = await stage.open(`redis://${USER}:${PASSWORD}@${stage.address}/1`);
    await recovers(service);
    await stage.cut();
    await recovers(service);
    const said = stage.lines.filter((line) => line.includes('INFO'));
    expect(said).toEqual([expect.stringContaining(stage.address)]);
    expect(stage.lines.filter((line) => line.includes('SETNAME'))).toEqual([]);
    expect(stage.printed).toEqual([]);
  });

  test('does not hide that the database is another one', async () => {
    await stage.start();
    await stage.allow('-info', '-client', '-select');
    const { message } = await bootError(`redis://${USER}:${PASSWORD}@${stage.address}/1`);
    expect(message).toContain('SELECT 1');
  });
});

describe('a server that speaks no RESP3', () => {
  test('is logged once and used where RESP3 was not requested, and fails the boot where it was', async () => {
    await stage.start('--rename-command', 'HELLO', '');
    const service = await stage.open(`redis://${stage.address}`);
    await recovers(service);
    expect(stage.lines.filter((line) => line.includes('RESP'))).toEqual([
      expect.stringContaining(stage.address),
    ]);
    const { message } = await bootError({ host: '127.0.0.1', port: stage.port, protocol: 3 });
    for (const part of [stage.address, 'HELLO', 'protocol: 2']) expect(message).toContain(part);
    expect(stage.printed).toEqual([]);
  });
});

describe('an address that leads nowhere', () => {
  test.each([
    [
      'a name that does not exist',
      'redis://no-such-host.invalid:6379',
      /no-such-host\.invalid.*(ENOTFOUND|EAI_AGAIN)/,
    ],
    ['a closed port of a name with two addresses', 'redis://localhost:1', /localhost:1.*ECONNREFUSED/],
  ])('is an error with its reason for %s', async (_, url, reason) => {
    await stage.start();
    expect((await bootError(url)).message).toMatch(reason);
    expect(stage.printed).toEqual([]);
  });

  test('is an error with its reason where TLS is spoken to a server that speaks none', async () => {
    await stage.start();
    const { message } = await bootError(`rediss://${stage.address}`);
    for (const part of [stage.address, /SSL|TLS|EPROTO|ECONNRESET|disconnected/i])
      expect(message).toMatch(part);
    expect(stage.printed).toEqual([]);
  });
});
