import { beforeEach, describe, expect, test } from 'vitest';
import { fakeRunner } from '../../../../test/support/fake.runner.js';
import { acquired, released, renewed } from '../../../../test/support/asked.js';
import type { Command, FakeClient } from '../../../../test/support/fake.client.js';
import { ReadScripts } from './read.scripts.js';
import { WriteScripts, WRITER_SLEEP } from './write.scripts.js';

describe('the scripts of a read/write lock', () => {
  let client: FakeClient;
  let readers: ReadScripts;
  let writers: WriteScripts;
  beforeEach(() => {
    const fake = fakeRunner();
    client = fake.client;
    readers = new ReadScripts(fake.runner);
    writers = new WriteScripts(fake.runner);
  });

  /** The calls of this turn, with their keys and arguments. */
  const calls = async (): Promise<Command[]> => {
    await new Promise(setImmediate);
    return client.take('evalsha');
  };
  /** The reply to a single operation that is answered with `row`. */
  const answered = async <T>(reply: Promise<T>, row: unknown): Promise<{ words: unknown[]; reply: T }> => {
    const [call] = await calls();
    call?.answer([row]);
    return { words: call?.args.slice(1) ?? [], reply: await reply };
  };

  test('let many readers in by few calls', async () => {
    const replies = Array.from({ length: 250 }, (_, index) =>
      acquired(readers, 'lock', `holder:${index}`, 1000, 1),
    );
    const sent = await calls();
    expect(sent.map(({ args }) => Number(args[1]) / 2)).toEqual([100, 100, 50]);
    for (const { args, answer } of sent) answer(Array.from({ length: Number(args[1]) / 2 }, () => [1, 1]));
    expect(await Promise.all(replies)).toEqual(
      replies.map(() => ({ kind: 'granted', count: 1, room: Infinity })),
    );
  });

  test.each([
    [0, 0],
    [50, 300],
    [0.4, 251],
    [WRITER_SLEEP, WRITER_SLEEP + 250],
    [300_000, WRITER_SLEEP + 250],
    [Infinity, WRITER_SLEEP + 250],
  ])('make a writer that waits for %s ms keep readers out for %s ms', async (wait, intent) => {
    const { words, reply } = await answered(acquired(writers, 'lock', 'a:1', 1000, 1, wait), [0, 700, 'b:1']);
    expect(words).toEqual([
      '3',
      'lock',
      '{lock}:write_intent',
      '{lock}:waiting',
      'a:1',
      '1000',
      '1',
      `${intent}`,
      wait > 0 ? '1' : '0',
    ]);
    expect(reply).toEqual({ kind: 'busy', ttl: 700, holder: 'b:1' });
  });

  test('name the intent of a lock that has a hash tag of its own', async () => {
    const { words } = await answered(acquired(readers, 'a:{b}', 'a:1', 1000, 2), [2]);
    expect(words).toEqual(['2', 'a:{b}', 'a:{b}:write_intent', '1000', '2', 'a:1']);
  });

  test('have room for one writer, and for any number of readers', async () => {
    const written = await answered(acquired(writers, 'lock', 'a:1', 1000, 1, 0), [1, 1]);
    expect(written.reply).toEqual({ kind: 'granted', count: 1 });
    const shared = await answered(acquired(readers, 'lock', 'a:1', 1000, 1), 1);
    expect(shared.reply).toEqual({ kind: 'granted', count: 1, room: Infinity });
    expect((await answered(acquired(readers, 'lock', 'a:1', 1000, 2), [2])).reply).toEqual({ kind: 'lost' });
  });

  test('report after a release whether the holder has anything left', async () => {
    const release = (row: unknown[]) => answered(released(readers, 'lock', 'a:1', 0, 1, 'channel'), row);
    const { words, reply } = await release([1, 0]);
    expect(words).toEqual(['2', 'lock', '{lock}:waiting', 'PUBLISH', 'a:1', '0', '1000', '0', 'channel']);
    expect(reply).toEqual({ kind: 'released', reached: 0 });
    expect((await release([2, 1])).reply).toEqual({ kind: 'kept' });
    expect((await release([0])).reply).toEqual({ kind: 'gone' });
    const written = await answered(released(writers, 'lock', 'a:1', 0, 1, 'channel'), [1, 3]);
    expect(written.words).toEqual([
      '3',
      'lock',
      '{lock}:write_intent',
      '{lock}:waiting',
      'PUBLISH',
      'a:1',
      '0',
      '1000',
      'channel',
    ]);
    expect(written.reply).toEqual({ kind: 'released', reached: 3 });
    const passed = await answered(released(writers, 'lock', 'a:1', 0, 1, 'channel'), [1, 2, 'b:1']);
    expect(passed.reply).toEqual({ kind: 'released', reached: 2, called: 'b:1' });
  });

  test('read the state of either side', async () => {
    expect((await answered(readers.inspect('lock', 'a:1'), [1, 700, 2, 'b:1', 1])).reply).toEqual({
      isLocked: true,
      ttl: 700,
      count: 2,
      holder: 'b:1',
    });
    expect((await answered(writers.inspect('lock', 'a:1'), [1, -2, 0, '', 0])).reply).toEqual({
      isLocked: false,
      ttl: -2,
      count: 0,
      holder: undefined,
    });
  });

  test('report what is left of a hold, or that it is gone', async () => {
    expect((await answered(renewed(readers, 'lock', 'a:1', 1000), [1, 1000])).reply).toBe(1000);
    expect((await answered(renewed(writers, 'lock', 'a:1', 0), [0])).reply).toBeUndefined();
    expect((await answered(writers.forceRelease('lock', 'channel'), [1, -1])).reply).toBe(true);
    expect((await answered(readers.forceRelease('lock', 'channel'), [0])).reply).toBe(false);
  });

  test('refuse an answer of an unknown form', async () => {
    await expect(answered(acquired(writers, 'lock', 'a:1', 1000, 1, 0), [7])).rejects.toThrow(
      'write/acquire returned an unknown reply: [7]',
    );
  });
});
