import { Redis, type Command } from 'ioredis';
import { expect, test } from 'vitest';
import { sendScript } from './script.sender.js';

test.each(['evalsha', 'eval'] as const)('%s is sent as the client would send it', async (how) => {
  const client = new Redis({ lazyConnect: true });
  const sent: Command[] = [];
  client.sendCommand = (command) => {
    sent.push(command);
    return command.promise;
  };
  // Also beyond the lengths whose heads are kept.
  const [keys, args] = [
    ['a', 'ü'],
    ['1', '', 'b'.repeat(255), 'ü'.repeat(128), 'c'.repeat(1000)],
  ];
  void client[how]('script', keys.length, ...keys, ...args);
  void sendScript(client, how, ['script', `${keys.length}`, ...keys, ...args]);
  const [expected, found] = sent;
  expect(found?.toWritable(client.stream)).toBe(expected?.toWritable(client.stream));
  const textOf = (command?: Command) => JSON.stringify({ ...command, args: command?.args.map(String) });
  expect(textOf(found)).toBe(textOf(expected));
});

test('the caller receives what a patched client makes of the reply', async () => {
  const client = new Redis({ lazyConnect: true });
  client.sendCommand = () => Promise.reject(new Error('patched'));
  await expect(sendScript(client, 'evalsha', ['script', '0'])).rejects.toThrow('patched');
  client.sendCommand = () => {
    throw new Error('thrown');
  };
  await expect(sendScript(client, 'evalsha', ['script', '0'])).rejects.toThrow('thrown');
});
