import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { RwState } from '../models/read-write.state.js';
import { ProtocolStage } from './protocol.stage.js';
import { read, rwNames } from './read-write.calls.js';
import {
  clear,
  free,
  NONE,
  put,
  reading,
  S,
  seen,
  send,
  sendBatch,
  waitedFor,
  writing,
} from './read-write.stage.js';

const [A, B, C, D] = [1, 2, 3, 4].map((number) => `6e38a1f0-0000-4000-8000-000000000001:${number}`) as [
  string,
  string,
  string,
  string,
];

const STATES: readonly (readonly [string, RwState])[] = [
  ['a free lock', free()],
  ['a free lock that a writer waits for', waitedFor(free(), B, 3 * S)],
  ['a lock that is read', reading({ [A]: [2 * S] })],
  ['a lock that is read, and waited for by a writer', waitedFor(reading({ [A]: [2 * S] }), B, 3 * S)],
  ['a lock whose ttl is below that of its hold', reading({ [A]: [4 * S], [D]: [S] }, S)],
  ['a lock without a ttl', reading({ [A]: [4 * S] }, NONE)],
  ['a lock that is written', writing(A, 1, 2 * S)],
  ['a lock that is written and read by its writer', writing(A, 1, 2 * S, S)],
];

const HOLDERS = [A, B, C, D];

/** Leases and counts that operations of one call share. */
const SHARED = [
  [S, 1],
  [5 * S, 1],
  [2 * S, 2],
] as const;

/** Three of the holders in each order, one of them twice as well. */
const BATCHES = SHARED.flatMap(([lease, count]) =>
  HOLDERS.flatMap((one) =>
    HOLDERS.flatMap((other) =>
      HOLDERS.filter((third) => one !== other && other !== third).map((third) =>
        [one, other, third].map((holder) => read(holder, lease, count)),
      ),
    ),
  ),
);

let stage: ProtocolStage;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

test.each(STATES)(
  'readers of one call do to %s what they would do one after the other',
  async (_name, state) => {
    const names = rwNames(`protocol:${randomUUID()}`);
    for (const batch of BATCHES) {
      await put(stage, names, state);
      const replies = await sendBatch(
        stage,
        batch.map((call) => [names, call]),
      );
      const together = { replies, store: await seen(stage, names) };
      await clear(stage, names);
      await put(stage, names, state);
      const apart: unknown[] = [];
      for (const call of batch) apart.push(await send(stage, names, call));
      expect(together).toEqual({ replies: apart, store: await seen(stage, names) });
      await clear(stage, names);
    }
  },
);
