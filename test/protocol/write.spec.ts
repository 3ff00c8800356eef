import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { ProtocolStage } from './protocol.stage.js';
import { forceWrite, lookWrite, renewWrite, unwrite, write } from './read-write.calls.js';
import { DEAD, free, NONE, reading, S, waitedFor, writing } from './read-write.stage.js';
import { testRows, type Row } from './read-write.table.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
/** A transaction of Java, with more colons, whose id ends like the field of a writer. */
const C = '6e38a1f0-0000-4000-8000-000000000003:7:write';
const [S1, S2, S3, S6] = [S, 2 * S, 3 * S, 6 * S];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  'write acquire': [
    ['takes a free lock', free(), write(A, S1, 1), [1, 1], writing(A, 1, S1)],
    ['takes a free lock, and with it back what it intended', waitedFor(free(), A, S3), write(A, S1, 1), [1, 1], writing(A, 1, S1)],
    ['takes a free lock whoever waits, who will say so again', waitedFor(free(), B, S3), write(A, S1, 1), [1, 1], writing(A, 1, S1)],
    ['raises the count and the lease of a re-entry', writing(A, 1, S1), write(A, S6, 2), [1, 2], writing(A, 2, S6)],
    ['never shortens the lease by a re-entry, nor adds to it (D28)', writing(A, 1, S6), write(A, S1, 2), [1, 2], writing(A, 2, S6)],
    ['keeps its read holds at a re-entry', writing(A, 1, S1, S1), write(A, S6, 2), [1, 2], writing(A, 2, S6, S1)],
    ['gives a lease to a hold that has none', writing(A, 1, NONE), write(A, S1, 2), [1, 2], writing(A, 2, S1)],
    ['gives a hold without a lease no less than its longest read hold has (D17)', writing(A, 1, NONE, S6, S2), write(A, S1, 2), [1, 2], writing(A, 2, S6, S6, S2)],
    ['leaves a count that is higher already', writing(A, 3, S1), write(A, S1, 2), [1, 3], writing(A, 3, S1)],
    ['leaves the intent of another at a re-entry', waitedFor(writing(A, 1, S1), B, S3), write(A, S1, 2), [1, 2], waitedFor(writing(A, 2, S1), B, S3)],
    ['is refused by another writer, with its lease and its name', writing(B, 1, S1), write(A, S6, 1), [0, S1, B], writing(B, 1, S1)],
    ['is refused by a writer whose id ends like its field', writing(C, 1, S1, S1), write(C.slice(0, -6), S6, 1), [0, S1, C], writing(C, 1, S1, S1)],
    ['is refused by readers, with the lease of the longest', reading({ [B]: [S1], [C]: [S6] }), write(A, S1, 1), [0, S6, expect.stringMatching(/^6e38/)], reading({ [B]: [S1], [C]: [S6] })],
    ['is refused by readers without a lease', reading({ [B]: [S1] }, NONE), write(A, S1, 1), [0, NONE, B], reading({ [B]: [S1] }, NONE)],
    ['is refused by its own read hold', reading({ [A]: [S1] }), write(A, S6, 1), [0, S1, A], reading({ [A]: [S1] })],
    ['is refused by dead readers until their lock has ended, as in Java', reading({ [B]: [DEAD] }, S1), write(A, S6, 1), [0, S1, B], reading({ [B]: [DEAD] }, S1)],
    ['says that it waits where others read', reading({ [B]: [S1] }), write(A, S1, 1, S3), [0, S1, B], waitedFor(reading({ [B]: [S1] }), A, S3)],
    ['says that it waits where another writes', writing(B, 1, S1), write(A, S1, 1, S3), [0, S1, B], waitedFor(writing(B, 1, S1), A, S3)],
    ['says that it waits once more', waitedFor(reading({ [B]: [S1] }), A, S1), write(A, S1, 1, S3), [0, S1, B], waitedFor(reading({ [B]: [S1] }), A, S3)],
    ['says that it waits in the place of another writer, for no less long than that one', waitedFor(reading({ [B]: [S1] }), C, S6), write(A, S1, 1, S3), [0, S1, B], waitedFor(reading({ [B]: [S1] }), A, S6)],
    ['keeps nobody out who asks only once', waitedFor(reading({ [B]: [S1] }), C, S6), write(A, S1, 1, 0), [0, S1, B], waitedFor(reading({ [B]: [S1] }), C, S6)],
    ['keeps nobody out while it waits for itself', reading({ [A]: [S1], [B]: [S1] }), write(A, S1, 1, S3), [0, S1, expect.stringMatching(/^6e38/)], reading({ [A]: [S1], [B]: [S1] })],
    ['is told that its outer hold is lost', free(), write(A, S1, 2), [2], free()],
    ['is told who has the lock that its outer hold lost', reading({ [B]: [S1] }), write(A, S1, 2), [0, S1, B], reading({ [B]: [S1] })],
  ],
  'write release': [
    ['tells of a lock that is gone, and has released nothing (D23)', free(), unwrite(A, 0, S1), [0], free(), { messages: ['1'], repeated: ['1'] }],
    ['leaves readers alone, also its own', reading({ [A]: [S1], [B]: [S1] }), unwrite(A, 0, S1), [0], reading({ [A]: [S1], [B]: [S1] })],
    ['leaves another writer alone', writing(B, 1, S1), unwrite(A, 0, S1), [0], writing(B, 1, S1)],
    ['leaves a writer alone whose read field ends like its own', writing(C, 1, S1, S1), unwrite(C.slice(0, -6), 0, S1), [0], writing(C, 1, S1, S1)],
    ['takes back its intent, and lets the readers in', waitedFor(reading({ [B]: [S1] }), A, S3), unwrite(A, 0, S1), [0], reading({ [B]: [S1] }), { messages: ['1'] }],
    ['takes back its intent in a free lock', waitedFor(free(), A, S3), unwrite(A, 0, S1), [0], free(), { messages: ['1'], repeated: ['1'] }],
    ['takes back its intent without a word where another writes', waitedFor(writing(B, 1, S1), A, S3), unwrite(A, 0, S1), [0], writing(B, 1, S1)],
    ['leaves the intent of another', waitedFor(reading({ [B]: [S1] }), C, S3), unwrite(A, 0, S1), [0], waitedFor(reading({ [B]: [S1] }), C, S3)],
    ['keeps its intent when it lowers a hold that it has lost', waitedFor(reading({ [B]: [S1] }), A, S3), unwrite(A, 1, S1), [0], waitedFor(reading({ [B]: [S1] }), A, S3)],
    ['lowers the count and restores the lease, without a message', writing(A, 2, S1), unwrite(A, 1, S6), [2, 1], writing(A, 1, S6)],
    ['lowers the count and wakes all waiters where the lease becomes shorter', writing(A, 2, S6), unwrite(A, 1, S1), [2, 1], writing(A, 1, S1), { messages: ['1'] }],
    ['restores no lease below its longest read hold (D17)', writing(A, 2, S6, S1, S3), unwrite(A, 1, S1), [2, 1], writing(A, 1, S3, S1, S3), { messages: ['1'] }],
    ['restores a lease that is longer than its read holds', writing(A, 3, S1, S1), unwrite(A, 1, S6), [2, 1], writing(A, 1, S6, S1)],
    ['changes nothing where the count is as low already', writing(A, 1, S6), unwrite(A, 1, S1), [2, 1], writing(A, 1, S6)],
    ['never raises a count', writing(A, 1, S6), unwrite(A, 2, S1), [2, 1], writing(A, 1, S6)],
    ['never creates a field', free(), unwrite(A, 1, S1), [0], free(), { messages: ['1'], repeated: ['1'] }],
    ['frees the lock with one message', writing(A, 1, S1), unwrite(A, 0, S1), [1, 1], free(), { messages: ['1'], again: [0], repeated: ['1'] }],
    ['frees the lock from any count', writing(A, 3, S1), unwrite(A, 0, 0), [1, 1], free(), { messages: ['1'], again: [0], repeated: ['1'] }],
    ['frees a lock that has no ttl', writing(A, 1, NONE), unwrite(A, 0, S1), [1, 1], free(), { messages: ['1'], again: [0], repeated: ['1'] }],
    ['frees the lock also for the readers that an intent kept out', waitedFor(writing(A, 1, S1), B, S3), unwrite(A, 0, S1), [1, 1], free(), { messages: ['1'], again: [0], repeated: ['1'] }],
    ['leaves the lock to its read holds, and wakes the readers (D7)', writing(A, 1, S1, S1), unwrite(A, 0, S1), [1, 1], reading({ [A]: [S1] }), { messages: ['1'], again: [0] }],
    ['leaves the lock for no longer than its read holds', writing(A, 2, S6, S1, S3), unwrite(A, 0, S1), [1, 1], reading({ [A]: [S1, S3] }), { messages: ['1'], again: [0] }],
    ['leaves the lock for no shorter than its read holds (D17)', writing(A, 1, S1, S6), unwrite(A, 0, S1), [1, 1], reading({ [A]: [S6] }), { messages: ['1'], again: [0] }],
    ['leaves a lock without a ttl for as long as its read holds', writing(A, 1, NONE, S2), unwrite(A, 0, S1), [1, 1], reading({ [A]: [S2] }), { messages: ['1'], again: [0] }],
    ['leaves the lock to its readers without the intent of another', waitedFor(writing(A, 1, S1, S1), B, S3), unwrite(A, 0, S1), [1, 1], reading({ [A]: [S1] }), { messages: ['1'], again: [0] }],
    ['frees the lock when its read holds are dead', writing(A, 1, S6, DEAD, DEAD), unwrite(A, 0, S1), [1, 1], free(), { messages: ['1'], again: [0], repeated: ['1'] }],
  ],
  'write renewal': [
    ['raises the lease of a hold', writing(A, 2, S1), renewWrite(A, S6), [1, S6], writing(A, 2, S6)],
    ['never shortens a lease', writing(A, 1, S6), renewWrite(A, S1), [1, S6], writing(A, 1, S6)],
    ['leaves its read holds as they are', writing(A, 1, S2, S1), renewWrite(A, S6), [1, S6], writing(A, 1, S6, S1)],
    ['gives a lease to a hold that has none', writing(A, 1, NONE), renewWrite(A, S1), [1, S1], writing(A, 1, S1)],
    ['gives a hold without a lease no less than its longest read hold has (D17)', writing(A, 1, NONE, S6), renewWrite(A, S1), [1, S6], writing(A, 1, S6, S6)],
    ['finds a hold gone, and creates nothing', free(), renewWrite(A, S1), [0], free()],
    ['finds a hold gone, and leaves the next writer its lease', writing(B, 1, S1), renewWrite(A, S6), [0], writing(B, 1, S1)],
    ['finds a hold gone, and leaves its read holds their lease', reading({ [A]: [S1] }), renewWrite(A, S6), [0], reading({ [A]: [S1] })],
    ['only looks with a lease of 0', writing(A, 1, S1), renewWrite(A, 0), [1, S1], writing(A, 1, S1)],
    ['only looks with a lease of 0, also where there is none', writing(A, 1, NONE), renewWrite(A, 0), [1, NONE], writing(A, 1, NONE)],
    ['sees with a lease of 0 that the hold is gone', writing(B, 1, S1), renewWrite(A, 0), [0], writing(B, 1, S1)],
  ],
  'write force release': [
    ['finds nothing in a free lock, and says nothing', free(), forceWrite(), [0], free()],
    ['leaves readers alone', reading({ [B]: [S1] }), forceWrite(), [0], reading({ [B]: [S1] })],
    ['frees the lock of whoever writes, with one message', writing(B, 2, S1), forceWrite(), [1, 1], free(), { messages: ['1'], again: [0] }],
    ['frees it with the read holds of the writer', writing(C, 1, S6, S1, S6), forceWrite(), [1, 1], free(), { messages: ['1'], again: [0] }],
    ['leaves the intent of a writer that waits', waitedFor(writing(B, 1, S1), A, S3), forceWrite(), [1, 1], waitedFor(free(), A, S3), { messages: ['1'], again: [0] }],
  ],
  'write inspect': [
    ['reads a free lock', free(), lookWrite(A), [1, -2, 0, '', 0], free()],
    ['reads the count of the given holder', writing(A, 2, S1), lookWrite(A), [1, S1, 2, A, 1], writing(A, 2, S1)],
    ['reads a lock of somebody else, without a ttl', writing(B, 2, NONE, S1), lookWrite(A), [1, NONE, 0, B, 1], writing(B, 2, NONE, S1)],
    ['names a writer whose id ends like its field', writing(C, 1, S1, S1), lookWrite(''), [1, S1, 0, C, 1], writing(C, 1, S1, S1)],
    ['sees nobody write where only readers are', reading({ [A]: [S6], [C]: [S1] }), lookWrite(A), [1, S6, 0, '', 0], reading({ [A]: [S6], [C]: [S1] })],
  ],
};

describe.each([2, 3] as const)('over RESP%i a', (protocol) => {
  let stage: ProtocolStage;
  beforeAll(() => {
    stage = ProtocolStage.open(inject('redisUrl'), { protocol });
  });
  afterAll(() => stage.close());
  testRows(() => stage, ROWS);
});
