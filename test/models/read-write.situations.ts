import { longestOf, longestRead, type RwState } from './read-write.state.js';
import type { Operation } from './read-write.steps.js';

/** What a step meets, and what it is answered. */
interface Meeting {
  readonly before: RwState;
  readonly does: string;
  readonly operation: Operation;
  readonly row: unknown;
}

const readsOf = ({ before, operation: { by } }: Meeting): number => before.hash?.reads.get(by) ?? 0;
const writesOf = ({ before: { hash }, operation: { by } }: Meeting): number =>
  hash?.writer?.holder === by ? hash.writer.count : 0;

/** The rare states that the rules are about: a run of random steps that does not come to them shows nothing. */
export const SITUATIONS: Readonly<Record<string, (meeting: Meeting) => boolean>> = {
  'a re-entry of a reader': (met) =>
    met.does === 'read' && met.row === 1 && met.operation.count > readsOf(met) && readsOf(met) > 0,
  'a re-entry of a writer': (met) =>
    met.does === 'write' && writesOf(met) > 0 && met.operation.count > writesOf(met),
  'a re-entry of a writer that reads': (met) => met.does === 'write' && writesOf(met) > 0 && readsOf(met) > 0,
  'a writer that reads': (met) => met.does === 'read' && met.row === 1 && writesOf(met) > 0,
  'a partial release of a reader among others': (met) =>
    met.does === 'unread' &&
    met.row === 2 &&
    readsOf(met) > met.operation.count &&
    (met.before.hash?.reads.size ?? 0) > 1,
  'a partial release of a reader that writes': (met) =>
    met.does === 'unread' && met.row === 2 && readsOf(met) > met.operation.count && writesOf(met) > 0,
  'a partial release of a writer': (met) =>
    met.does === 'unwrite' && met.row === 2 && writesOf(met) > met.operation.count,
  'a partial release of a writer whose read hold is longer (D17)': (met) =>
    met.does === 'unwrite' &&
    met.row === 2 &&
    writesOf(met) > met.operation.count &&
    longestRead(met.before) > met.operation.lease,
  'a writer that goes on as a reader (D7)': (met) =>
    met.does === 'unwrite' && met.row === 1 && longestRead(met.before) > 0,
  'a writer that ends with dead read holds': (met) =>
    met.does === 'unwrite' && met.row === 1 && readsOf(met) > 0 && longestRead(met.before) === 0,
  'a reader that leaves the lock to others': (met) =>
    met.does === 'unread' && met.row === 1 && (met.before.hash?.reads.size ?? 0) > 1,
  'a reader whose holds have run out, and who comes again': (met) =>
    met.does === 'read' &&
    met.row === 1 &&
    readsOf(met) > 0 &&
    longestOf(met.before, met.operation.by, readsOf(met)) === 0,
  'a renewal that finds the holds run out': (met) =>
    met.does === 'renew read' && met.row === 0 && readsOf(met) > 0,
  'a reader that an intent keeps out': (met) =>
    met.does === 'read' && met.row === 0 && met.before.hash?.mode !== 'write',
  'a reader that passes an intent': (met) =>
    met.does === 'read' && met.row === 1 && met.before.intent !== undefined && readsOf(met) > 0,
  'a writer that gives up waiting': (met) =>
    met.does === 'unwrite' &&
    met.row === 0 &&
    met.operation.count === 0 &&
    met.before.intent?.holder === met.operation.by,
};
