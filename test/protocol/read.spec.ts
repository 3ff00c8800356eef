import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { ProtocolStage } from './protocol.stage.js';
import { forceRead, lookRead, read, renewRead, unread } from './read-write.calls.js';
import { DEAD, free, NONE, reading, S, waitedFor, withKeys, writing } from './read-write.stage.js';
import { testRows, type Row } from './read-write.table.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
/** A transaction of Java, with more colons, whose id ends like the field of a writer. */
const C = '6e38a1f0-0000-4000-8000-000000000003:7:write';
const [S1, S2, S3, S6] = [S, 2 * S, 3 * S, 6 * S];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  'read acquire': [
    ['takes a free lock', free(), read(A, S1, 1), [1], reading({ [A]: [S1] })],
    ['shares with a reader, for as long as the longer of them', reading({ [B]: [S1] }), read(A, S6, 1), [1], reading({ [A]: [S6], [B]: [S1] })],
    ['never shortens the lock by sharing', reading({ [B]: [S6] }), read(A, S1, 1), [1], reading({ [A]: [S1], [B]: [S6] })],
    ['gives every hold of a re-entry a key', reading({ [A]: [S1] }), read(A, S6, 3), [1], reading({ [A]: [S1, S6, S6] })],
    ['never shortens the lock by a re-entry (D28)', reading({ [A]: [S6] }), read(A, S1, 2), [1], reading({ [A]: [S6, S1] })],
    ['leaves a count that is higher already, and gives the asked hold its lease', reading({ [A]: [S1, S1, S1] }), read(A, S6, 2), [1, 3], reading({ [A]: [S1, S6, S1] })],
    ['never shortens a hold that is asked for again', reading({ [A]: [S6] }), read(A, S1, 1), [1], reading({ [A]: [S6] })],
    ['reads beside its own write hold', writing(A, 1, S1), read(A, S6, 1), [1], writing(A, 1, S6, S6)],
    ['never shortens its own write hold', writing(A, 2, S6), read(A, S1, 1), [1], writing(A, 2, S6, S1)],
    ['is refused by a writer, with its lease and its name', writing(B, 1, S1), read(A, S6, 1), [0, S1, B], writing(B, 1, S1)],
    ['is refused by a writer that reads', writing(B, 1, S6, S1), read(A, S6, 1), [0, S6, B], writing(B, 1, S6, S1)],
    ['is refused by a writer without a lease', writing(B, 1, NONE), read(A, S6, 1), [0, NONE, B], writing(B, 1, NONE)],
    ['is refused by a writer whose id ends like its field', writing(C, 1, S1, S1), read(A, S6, 1), [0, S1, C], writing(C, 1, S1, S1)],
    ['is not taken for a writer that has its id within its own', writing(C, 1, S1, S1), read(C.slice(0, -6), S6, 1), [0, S1, C], writing(C, 1, S1, S1)],
    ['is told that its outer hold is lost', free(), read(A, S1, 2), [2], free()],
    ['is told that its outer hold is lost, where others read', reading({ [B]: [S1] }), read(A, S6, 2), [2], reading({ [B]: [S1] })],
    ['is told that its outer hold is lost, where only its write hold is left', writing(A, 1, S1), read(A, S6, 2), [2], writing(A, 1, S1)],
    ['is told who has the lock that its outer hold lost', writing(B, 1, S1), read(A, S6, 2), [0, S1, B], writing(B, 1, S1)],
    ['brings holds to life whose keys ran out: nobody wrote since', reading({ [A]: [DEAD, DEAD], [B]: [S1] }), read(A, S3, 2), [1], reading({ [A]: [S3, S3], [B]: [S1] })],
    ['brings the holds below a re-entry to life', reading({ [A]: [DEAD] }, S1), read(A, S3, 2), [1], reading({ [A]: [S3, S3] })],
    ['gives a lock without a ttl no less than its longest hold has (D17)', reading({ [B]: [S6], [C]: [S2] }, NONE), read(A, S1, 1), [1], reading({ [A]: [S1], [B]: [S6], [C]: [S2] })],
    ['takes over a key that a forced unlock of Java left behind', withKeys(free(), { [A]: [S6] }), read(A, S1, 1), [1], reading({ [A]: [S1] })],
    ['waits for a writer that waits, in a free lock', waitedFor(free(), B, S1), read(A, S6, 1), [0, S1, B], waitedFor(free(), B, S1)],
    ['waits for a writer that waits, where others read', waitedFor(reading({ [C]: [S6] }), B, S1), read(A, S6, 1), [0, S1, B], waitedFor(reading({ [C]: [S6] }), B, S1)],
    ['passes a writer that waits when it reads already', waitedFor(reading({ [A]: [S1] }), B, S3), read(A, S6, 2), [1], waitedFor(reading({ [A]: [S1, S6] }), B, S3)],
    ['passes a writer that waits when it writes', waitedFor(writing(A, 1, S1), B, S3), read(A, S1, 1), [1], waitedFor(writing(A, 1, S1, S1), B, S3)],
    ['passes an intent of its own', waitedFor(free(), A, S3), read(A, S1, 1), [1], waitedFor(reading({ [A]: [S1] }), A, S3)],
    ['passes an intent without a ttl, which is none of ours', waitedFor(free(), B, NONE), read(A, S1, 1), [1], waitedFor(reading({ [A]: [S1] }), B, NONE)],
    ['is told that its outer hold is lost, whoever waits to write', waitedFor(free(), B, S1), read(A, S1, 2), [2], waitedFor(free(), B, S1)],
  ],
  'read release': [
    ['tells of a lock that is gone, and has released nothing (D23)', free(), unread(A, 0, S1), [0], free(), { messages: ['0'], repeated: ['0'] }],
    ['deletes what is left of its own holds', withKeys(free(), { [A]: [S1, S6], [B]: [S1] }), unread(A, 0, S1), [0], withKeys(free(), { [B]: [S1] }), { messages: ['0'], repeated: ['0'] }],
    ['leaves other readers alone', reading({ [B]: [S1] }), unread(A, 0, S1), [0], reading({ [B]: [S1] })],
    ['leaves a writer alone', writing(B, 1, S1), unread(A, 0, S1), [0], writing(B, 1, S1)],
    ['leaves a writer alone whose field ends in its id', writing(C.slice(0, -6), 2, S1), unread(C, 0, S1), [0], writing(C.slice(0, -6), 2, S1)],
    ['leaves its own write hold alone', writing(A, 1, S1), unread(A, 0, S1), [0], writing(A, 1, S1)],
    ['leaves the lock to others, for as long as the longest of them', reading({ [A]: [S6], [B]: [S1, S3], [C]: [S2] }), unread(A, 0, S1), [1, 0], reading({ [B]: [S1, S3], [C]: [S2] }), { messages: ['1'], again: [0] }],
    ['never shortens the lock below another hold (D17)', reading({ [A]: [S1], [B]: [S6] }), unread(A, 0, S1), [1, 0], reading({ [B]: [S6] }), { again: [0] }],
    ['leaves the lock to one of whose holds only the top one lives', reading({ [A]: [S1], [B]: [DEAD, S2] }), unread(A, 0, S1), [1, 0], reading({ [B]: [DEAD, S2] }), { again: [0] }],
    ['leaves the lock to a transaction of Java', reading({ [A]: [S6], [C]: [S1] }), unread(A, 0, S1), [1, 0], reading({ [C]: [S1] }), { messages: ['1'], again: [0] }],
    ['lowers the count from the top, and restores the lease', reading({ [A]: [S1, S6] }), unread(A, 1, S2), [2, 1], reading({ [A]: [S2] }), { messages: ['1'] }],
    ['restores a shorter lease', reading({ [A]: [S6, S6, S6] }), unread(A, 2, S1), [2, 2], reading({ [A]: [S1, S1] }), { messages: ['1'] }],
    ['brings a hold that stays to life', reading({ [A]: [DEAD, S6] }), unread(A, 1, S1), [2, 1], reading({ [A]: [S1] }), { messages: ['1'] }],
    ['restores no lease below the hold of another (D17)', reading({ [A]: [S1, S6], [B]: [S3] }), unread(A, 1, S1), [2, 1], reading({ [A]: [S1], [B]: [S3] }), { messages: ['1'] }],
    ['changes nothing where the count is as low already', reading({ [A]: [S6] }), unread(A, 1, S1), [2, 1], reading({ [A]: [S6] })],
    ['never raises a count', reading({ [A]: [S6] }), unread(A, 2, S1), [2, 1], reading({ [A]: [S6] })],
    ['never creates a field', free(), unread(A, 1, S1), [0], free(), { messages: ['0'], repeated: ['0'] }],
    ['leaves its own write hold, and the ttl (D6)', writing(A, 1, S6, S1), unread(A, 0, S1), [1, 0], writing(A, 1, S6), { again: [0] }],
    ['leaves its own write hold and the ttl at a partial release (D17)', writing(A, 2, S6, S6, S6), unread(A, 1, S1), [2, 1], writing(A, 2, S6, S1)],
    ['raises the lock of a writer to the longest hold (D17)', writing(A, 1, S1, S6, S6), unread(A, 1, S3), [2, 1], writing(A, 1, S3, S3)],
    ['leaves the lock for as long as its own write hold needs it, and tells that', writing(A, 1, S6, S6), unread(A, 0, S1, S2), [1, 0], writing(A, 1, S2), { messages: ['1'], again: [0] }],
    ['leaves the lock no shorter than its own reads need it', writing(A, 1, S6, S3, S6), unread(A, 1, S3, S1), [2, 1], writing(A, 1, S3, S3), { messages: ['1'] }],
    ['tells nothing where its own write hold needs the lock for longer', writing(A, 1, S1, S1), unread(A, 0, S1, S6), [1, 0], writing(A, 1, S6), { again: [0] }],
    ['does not look at the lease of a write hold that has ended', reading({ [A]: [S6], [B]: [S1] }), unread(A, 0, S1, S6), [1, 0], reading({ [B]: [S1] }), { messages: ['1'], again: [0] }],
    ['leaves a writer without a lease as it is', writing(A, 1, NONE, S6), unread(A, 0, S3), [1, 0], writing(A, 1, NONE), { again: [0] }],
    ['frees the lock with one message', reading({ [A]: [S1] }), unread(A, 0, S1), [1, 1], free(), { messages: ['0'], again: [0], repeated: ['0'] }],
    ['frees the lock from any count', reading({ [A]: [S1, DEAD, S6] }), unread(A, 0, 0), [1, 1], free(), { messages: ['0'], again: [0], repeated: ['0'] }],
    ['frees a lock that has no ttl', reading({ [A]: [S1] }, NONE), unread(A, 0, S1), [1, 1], free(), { messages: ['0'], again: [0], repeated: ['0'] }],
    ['frees the lock of readers that are dead', reading({ [A]: [S1], [B]: [DEAD], [C]: [DEAD, DEAD] }, S6), unread(A, 0, S1), [1, 1], free(), { messages: ['0'], again: [0], repeated: ['0'] }],
    ['frees the lock when its own hold is dead as well', reading({ [A]: [DEAD], [B]: [DEAD] }, S6), unread(A, 0, S1), [1, 1], free(), { messages: ['0'], again: [0], repeated: ['0'] }],
    ['leaves the intent of a writer that waits', waitedFor(reading({ [A]: [S1] }), B, S3), unread(A, 0, S1), [1, 1], waitedFor(free(), B, S3), { messages: ['0'], again: [0], repeated: ['0'] }],
  ],
  'read renewal': [
    ['raises every hold, and the lock', reading({ [A]: [S1, S2], [B]: [S1] }), renewRead(A, S6), [1, S6], reading({ [A]: [S6, S6], [B]: [S1] })],
    ['never shortens (D17)', reading({ [A]: [S6, S1], [B]: [S1] }), renewRead(A, S2), [1, S6], reading({ [A]: [S6, S2], [B]: [S1] })],
    ['leaves the lock to the longer hold of another (D17)', reading({ [A]: [S1], [B]: [S6] }), renewRead(A, S2), [1, S2], reading({ [A]: [S2], [B]: [S6] })],
    ['raises a lock that Java has set below its longest hold (D17)', reading({ [A]: [S6, S1] }, S1), renewRead(A, S2), [1, S6], reading({ [A]: [S6, S2] })],
    ['gives no key to a hold that has run out', reading({ [A]: [DEAD, S1] }), renewRead(A, S6), [1, S6], reading({ [A]: [DEAD, S6] })],
    ['gives a lock without a ttl no less than the longest hold of all (D17)', reading({ [A]: [S1], [B]: [S6] }, NONE), renewRead(A, S2), [1, S2], reading({ [A]: [S2], [B]: [S6] })],
    ['raises its holds beside its write hold', writing(A, 1, S2, S1), renewRead(A, S6), [1, S6], writing(A, 1, S6, S6)],
    ['never shortens its write hold', writing(A, 1, S6, S1), renewRead(A, S2), [1, S2], writing(A, 1, S6, S2)],
    ['only looks with a lease of 0', reading({ [A]: [S1, S3], [B]: [S6] }), renewRead(A, 0), [1, S3], reading({ [A]: [S1, S3], [B]: [S6] })],
    ['raises a lock below its longest hold also with a lease of 0', reading({ [A]: [S6], [B]: [S1] }, S1), renewRead(A, 0), [1, S6], reading({ [A]: [S6], [B]: [S1] })],
    ['only looks with a lease of 0, also where there is no ttl', reading({ [A]: [S1] }, NONE), renewRead(A, 0), [1, S1], reading({ [A]: [S1] }, NONE)],
    ['finds a hold gone, and creates nothing', free(), renewRead(A, S1), [0], free()],
    ['finds a hold gone, and leaves other readers their leases', reading({ [B]: [S1] }), renewRead(A, S6), [0], reading({ [B]: [S1] })],
    ['finds a hold gone, and leaves dead readers to the end of their lock', reading({ [B]: [DEAD] }, S1), renewRead(A, S6), [0], reading({ [B]: [DEAD] }, S1)],
    ['finds a hold gone, and leaves the next writer its lease', writing(B, 1, S1), renewRead(A, S6), [0], writing(B, 1, S1)],
    ['finds a hold gone where only its write hold is left', writing(A, 1, S1), renewRead(A, S6), [0], writing(A, 1, S1)],
    ['finds a hold gone, and deletes what a forced unlock of Java left of it', withKeys(writing(B, 1, S1), { [A]: [S6, S6] }), renewRead(A, S6), [0], writing(B, 1, S1)],
    ['finds its holds run out, and leaves the lock to the others', reading({ [A]: [DEAD], [B]: [S1] }, S6), renewRead(A, S6), [0], reading({ [B]: [S1] }, S6)],
    ['finds its holds run out, and the others as well', reading({ [A]: [DEAD], [B]: [DEAD] }, S6), renewRead(A, 0), [0], free(), { messages: ['0'] }],
    ['finds its holds run out beside its write hold', writing(A, 1, S6, DEAD), renewRead(A, S6), [0], writing(A, 1, S6)],
  ],
  'read force release': [
    ['finds nothing in a free lock, and says nothing', free(), forceRead(), [0], free()],
    ['leaves a writer alone, also one that reads', writing(B, 1, S6, S1), forceRead(), [0], writing(B, 1, S6, S1)],
    ['frees the lock of all readers with their holds and one message', reading({ [A]: [S1, S2], [B]: [S6], [C]: [DEAD, S1] }), forceRead(), [1, 1], free(), { messages: ['0'], again: [0] }],
    ['leaves the intent of a writer that waits', waitedFor(reading({ [A]: [S1] }), B, S3), forceRead(), [1, 1], waitedFor(free(), B, S3), { messages: ['0'], again: [0] }],
  ],
  'read inspect': [
    ['reads a free lock', free(), lookRead(A), [1, -2, 0, '', 0], free()],
    ['reads the count of the given holder', reading({ [A]: [S1, S6] }), lookRead(A), [1, S6, 2, A, 1], reading({ [A]: [S1, S6] })],
    ['reads a lock of somebody else, without a ttl', reading({ [B]: [S1] }, NONE), lookRead(A), [1, NONE, 0, B, 1], reading({ [B]: [S1] }, NONE)],
    ['names one of many readers', reading({ [B]: [S1], [C]: [S1] }), lookRead(''), [1, S1, 0, expect.stringMatching(/^6e38/), 1], reading({ [B]: [S1], [C]: [S1] })],
    ['sees nobody read beside a writer', writing(B, 2, S1), lookRead(B), [1, S1, 0, '', 0], writing(B, 2, S1)],
    ['sees a writer read', writing(B, 2, S6, S1, S1), lookRead(B), [1, S6, 2, B, 1], writing(B, 2, S6, S1, S1)],
    ['counts nothing of a writer for somebody else', writing(C, 1, S6, S1), lookRead(A), [1, S6, 0, C, 1], writing(C, 1, S6, S1)],
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
