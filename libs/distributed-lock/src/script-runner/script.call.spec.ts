import { expect, test } from 'vitest';
import type { CommandCallback, Commands } from '../connections/command.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { LuaScript } from './lua.script.js';
import type { RequestedOperation } from './operation.js';
import { ScriptCall } from './script.call.js';

const SCRIPT: LuaScript = {
  name: 'script',
  text: 'return 1',
  sha1: 'sha1',
  batch: true,
  sharedArgs: 0,
  keysPerOperation: 1,
  argsPerOperation: 0,
};

/** An operation whose caller can give up. */
class FakeOperation implements RequestedOperation {
  readonly request = { script: SCRIPT, keys: ['key'] as const, args: [], read: () => undefined };
  readonly isGranting = true;
  isDone = false;
  isOutdated = false;
  failure: RedisFailure | undefined;

  readonly sent = () => undefined;
  readonly succeed = () => undefined;

  fail(failure: RedisFailure): void {
    this.failure = failure;
  }
}

/** A connection that answers, and lets scripts go, when the test says so. */
class FakeCommands implements Pick<Commands, 'isAcked' | 'publish' | 'run' | 'untilSendable' | 'demoted'> {
  readonly publish = 'PUBLISH';
  readonly calls: { readonly command: string; readonly callback: CommandCallback }[] = [];
  #waiting: (() => void)[] = [];

  constructor(readonly isAcked: boolean) {}

  untilSendable(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  letGo(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  run(command: string, _words: unknown, _isAcked: boolean, callback: CommandCallback): void {
    this.calls.push({ command, callback });
  }

  readonly demoted = () => undefined;
}

const turn = () => new Promise(setImmediate);

/** Sends three operations, of which one is given up before the call is refused, and one before it could be sent again. */
async function refuse(code: string, isAcked: boolean) {
  const connection = new FakeCommands(isAcked);
  const [early, late, kept] = [new FakeOperation(), new FakeOperation(), new FakeOperation()];
  const call = new ScriptCall(connection as unknown as Commands, SCRIPT, [], [early, late, kept]);
  call.send();
  connection.letGo();
  await turn();
  early.isDone = true;
  connection.calls[0]?.callback.failed(new RedisFailure('refused', `${code} no`, { code }));
  late.isDone = isAcked;
  connection.letGo();
  await turn();
  return { failures: [early, late, kept].map(({ failure }) => failure?.kind), calls: connection.calls };
}

test('an operation that was given up ends where the whole call is refused, and is not sent again', async () => {
  const { failures, calls } = await refuse('OOM', false);
  expect(failures).toEqual(['unsent', undefined, undefined]);
  expect(calls.map(({ command }) => command)).toEqual(['evalsha', 'evalsha', 'evalsha']);
});

test('it ends also if it is given up while it waits for its turn before replicas', async () => {
  const { failures, calls } = await refuse('OOM', true);
  expect(failures).toEqual(['unsent', 'unsent', undefined]);
  expect(calls.map(({ command }) => command)).toEqual(['evalsha', 'evalsha']);
});

test.each([true, false])(
  'a script that the server does not know is sent whole, for callers that have given up, too (replicas acknowledge: %s)',
  async (isAcked) => {
    const { failures, calls } = await refuse('NOSCRIPT', isAcked);
    expect(failures).toEqual([undefined, undefined, undefined]);
    expect(calls.map(({ command }) => command)).toEqual(['evalsha', 'eval']);
  },
);

test.each([true, false])(
  'a renewal whose lease is lost is not sent again to a server that did not know the script (replicas acknowledge: %s)',
  async (isAcked) => {
    const connection = new FakeCommands(isAcked);
    const [lost, kept, waiting] = [new FakeOperation(), new FakeOperation(), new FakeOperation()];
    const send = async (...operations: FakeOperation[]) => {
      new ScriptCall(connection as unknown as Commands, SCRIPT, [], operations).send();
      connection.letGo();
      await turn();
      lost.isOutdated = true;
      connection.calls.at(-1)?.callback.failed(new RedisFailure('refused', 'no', { code: 'NOSCRIPT' }));
      waiting.isOutdated = isAcked;
      connection.letGo();
      await turn();
    };
    await send(lost, kept, waiting);
    const left = isAcked ? 'unsent' : undefined;
    expect([lost, kept, waiting].map(({ failure }) => failure?.kind)).toEqual(['unsent', undefined, left]);
    expect(connection.calls.map(({ command }) => command)).toEqual(['evalsha', 'eval']);
    await send(lost);
    expect(connection.calls.map(({ command }) => command)).toEqual(['evalsha', 'eval', 'evalsha']);
  },
);
