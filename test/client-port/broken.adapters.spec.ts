import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { queueing, resending, silent, type Break } from './broken.adapters.js';
import { ADAPTERS } from './port.adapters.js';
import { PORT_CHECKS } from './port.checks.js';
import { portRoom } from './port.room.js';

const open = portRoom();

/** Each defect, and the checks that have to find it. */
const DEFECTS: readonly (readonly [title: string, breakIt: Break, found: readonly string[]])[] = [
  [
    'sends a command again after a reconnect',
    resending,
    [
      'never sends a command again whose connection broke before Redis had it',
      'never sends a command again whose reply was lost',
    ],
  ],
  [
    'queues commands while there is no connection',
    queueing,
    ['rejects a command at once while there is no connection, and never sends it'],
  ],
  [
    'loses a subscription at a reconnect',
    silent,
    ['reports each loss, and connects again', 'lets its user subscribe again after a loss'],
  ],
];

const [ofIoredis, , ofNodeRedis] = ADAPTERS;

describe.each([ofIoredis, ofNodeRedis].flatMap((adapter) => adapter ?? []))('of $title', ({ template }) => {
  describe.each(DEFECTS)('an adapter that %s', (_, breakIt, found) => {
    test.each(PORT_CHECKS.filter(({ title }) => found.includes(title)))(
      'fails the check: $title',
      { timeout: scaled(30_000) },
      async ({ run }) => {
        const stage = await open(async (url) => breakIt(await template(url)));
        await expect(run(stage)).rejects.toBeInstanceOf(Error);
      },
    );
  });
});

test('each defect has a check of its title', () => {
  const titles = PORT_CHECKS.map(({ title }) => title);
  expect(DEFECTS.flatMap(([, , found]) => found).filter((title) => !titles.includes(title))).toEqual([]);
});
