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

test.each([
  { way: 'the server does not know the script', code: 'NOSCRIPT', isAcked: false },
  { way: 'the server does not know the script, and replicas acknowledge', code: 'NOSCRIPT', isAcked: true },
  { way: 'the whole call is refused', code: 'OOM', isAcked: false },
  { way: 'the whole call is refused, and replicas acknowledge', code: 'OOM', isAcked: true },
])('an operation that was given up ends, and is not sent again: $way', async ({ code, isAcked }) => {
  const connection = new FakeCommands(isAcked);
  const [early, late, kept] = [new FakeOperation(), new FakeOperation(), new FakeOperation()];
  const call = new ScriptCall(connection as unknown as Commands, SCRIPT, [], [early, late, kept]);
  call.send();
  connection.letGo();
  await turn();
  early.isDone = true;
  connection.calls[0]?.callback.failed(new RedisFailure('refused', `${code} no`, { code }));
  // Where replicas acknowledge, the call waits for its turn once more.
  if (isAcked) late.isDone = true;
  for (let time = 0; time < 3; time += 1) {
    connection.letGo();
    await turn();
  }
  expect(early.failure?.kind).toBe('unsent');
  expect(late.failure?.kind).toBe(isAcked ? 'unsent' : undefined);
  expect(kept.failure).toBeUndefined();
  expect(connection.calls.length).toBeGreaterThan(1);
});
