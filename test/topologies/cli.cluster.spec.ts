import { Redis } from 'ioredis';
import { expect, inject, test } from 'vitest';
import { ask, say } from '../cli/command.stage.js';
import { Services, uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { groundOn } from './shared.ground.js';

const ground = groundOn('cluster');

test('behind the URL of one node the command finds the whole cluster', async () => {
  const { source, store } = ground();
  const services = new Services(source, store && { store });
  const [service, other] = [await services.open(), await services.open()];
  const [node] = inject('cluster').nodes;
  const url = `redis://${node?.host}:${node?.port}`;
  const prefix = ['--prefix', services.prefix];

  const { json } = await ask(['doctor', ...prefix], url);
  expect(json).toMatchObject({ isWell: true });
  expect(await say(['doctor', ...prefix], url)).toMatchObject({
    out: expect.stringMatching(
      /\nok {4}cluster +3 masters, all slots served, sharded pub\/sub\nok {4}permissions /,
    ),
  });
  expect(await services.keys()).toEqual([]);

  // Enough of them to be on every master.
  const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const held = await Promise.all(names.map((name) => service.getLock(name).lock()));
  const { json: listed } = await ask(['ls', ...prefix], url);
  expect((listed as { locks: { name: string }[] }).locks.map(({ name }) => name)).toEqual(names.toSorted());

  const waiting = other.getLock('n0').lock();
  await until('it is waited for', async () => {
    const { json: view } = await ask(['show', 'n0', ...prefix], url);
    return (view as { listeners: number }).listeners > 0;
  });
  expect(await say(['unlock', 'n0', '--yes', ...prefix], url)).toMatchObject({ code: 0, err: '' });
  expect(await (await waiting).unlock()).toBe('released');
  await Promise.all(held.map((handle) => handle.unlock()));
  await services.close();
});

test('the doctor names the master that refuses a command, whichever it is', async () => {
  const { nodes } = inject('cluster');
  const clients = nodes.map(({ host, port }) => new Redis({ host, port }));
  const masters: Redis[] = [];
  for (const client of clients)
    if (/^role:master/m.test(await client.info('replication'))) masters.push(client);
  const [first] = nodes;
  const url = `redis://locks:secret@${first?.host}:${first?.port}`;
  try {
    expect(masters.length).toBeGreaterThan(2);
    for (const client of clients)
      await client.call('ACL', 'SETUSER', 'locks', 'on', '>secret', '~*', '&*', '+@all');
    for (const master of masters) {
      await master.call('ACL', 'SETUSER', 'locks', '-hset');
      const { code, out } = await say(['doctor', '--prefix', uniquePrefix()], url);
      const address = `${master.options.host}:${master.options.port}`;
      expect([code, out]).toEqual([
        1,
        expect.stringContaining(`permissions  ${address}: user "locks" lacks +hset`),
      ]);
      await master.call('ACL', 'SETUSER', 'locks', '+hset');
    }
  } finally {
    for (const client of clients) {
      await client.call('ACL', 'DELUSER', 'locks');
      client.disconnect();
    }
  }
});
