import { expect, test } from 'vitest';
import type { RwState } from '../models/read-write.state.js';
import type { ProtocolStage } from './protocol.stage.js';
import { rwNames, type Call } from './read-write.calls.js';
import { clear, put, seen, send, shown } from './read-write.stage.js';

export interface More {
  /** What the channel says. */
  readonly messages?: readonly string[];
  /** The reply of the same call, sent again, where it differs. */
  readonly again?: unknown;
  /** What the channel says at the repeat. The state must not change. */
  readonly repeated?: readonly string[];
}

/** One row of a table of the wire format: what is there, what is asked, what is answered, what is there then. */
export type Row = readonly [
  name: string,
  before: RwState,
  call: Call,
  reply: unknown,
  after: RwState,
  more?: More,
];

/** Every row with one listener on the channel, and then its repeat. */
export function testRows(stage: () => ProtocolStage, rows: Readonly<Record<string, readonly Row[]>>): void {
  for (const [script, some] of Object.entries(rows)) {
    for (const [name, before, call, reply, after, more = {}] of some) {
      const { messages = [], again = reply, repeated = [] } = more;
      test(`${script} ${name}`, async () => {
        const names = rwNames(stage().names().lock);
        await put(stage(), names, before);
        await stage().listen(names.channel);
        try {
          expect(await send(stage(), names, call)).toEqual(reply);
          expect(await seen(stage(), names)).toEqual(shown(after, names));
          expect(await stage().messages(names.channel)).toEqual(messages);

          expect(await send(stage(), names, call)).toEqual(again);
          expect(await seen(stage(), names)).toEqual(shown(after, names));
          expect(await stage().messages(names.channel)).toEqual([...messages, ...repeated]);
        } finally {
          await clear(stage(), names);
        }
      });
    }
  }
}
