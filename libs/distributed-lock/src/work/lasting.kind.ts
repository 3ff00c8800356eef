import { isObservable } from 'rxjs';

/**
 * The results of work that go on after its promise has settled. The table in docs/locks.md lists for each of them until when the lock is
 * held.
 *
 * - `observable`: an Observable of any library
 * - `stream`: a stream of Node, so also a socket or a response of a server
 * - `web-stream`: a `ReadableStream`
 * - `response`: a `Response` whose body has not been read
 * - `file`: a `StreamableFile` of Nest
 * - `async-iterable`: an async generator, and all else that `for await` takes
 * - `process`: a child process, or a worker thread
 * - `iterator`: a generator, or another iterator
 */
export const LASTING_KINDS = [
  'observable',
  'stream',
  'web-stream',
  'response',
  'file',
  'async-iterable',
  'process',
  'iterator',
] as const;

export type LastingKind = (typeof LASTING_KINDS)[number];

/** An object with any members. */
export type Members = Readonly<Record<PropertyKey, unknown>>;

/** Only a result that has every property, such as a mock, has this one. */
const PROBE = 'nestjs-distributed-lock.probe';

/** In which way a result goes on. @returns undefined when it does not, or cannot be known to: it is the end of its work */
export function lastingKindOf(result: unknown): LastingKind | undefined {
  // Most work gives nothing, a primitive, an array or a plain object.
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  try {
    const kind = readKind(result);
    return kind === undefined || has(result, PROBE) ? undefined : kind;
  } catch {
    // A Proxy may throw when it is read. Its owner is responsible for the object behind it.
    return undefined;
  }
}

function readKind(result: object): LastingKind | undefined {
  if (isObservable(result) || has(result, observableKey())) return 'observable';
  if (has(result, 'on') && has(result, 'pipe')) return 'stream';
  if (has(result, 'getReader') && has(result, 'pipeTo')) return 'web-stream';
  if (isResponse(result)) return result.body === null || result.bodyUsed === true ? undefined : 'response';
  if (has(result, 'getStream') && has(result, 'getHeaders')) return 'file';
  if (isProcess(result)) return 'process';
  if (has(result, Symbol.asyncIterator)) return 'async-iterable';
  return has(result, 'next') && has(result, Symbol.iterator) ? 'iterator' : undefined;
}

/** The name by which Observables of different libraries know each other. Libraries may define the symbol at any time. */
export function observableKey(): PropertyKey {
  const { observable }: { readonly observable?: symbol } = Symbol;
  return observable ?? '@@observable';
}

/** A response of any implementation, recognized as Nest and the standard do. */
function isResponse(result: object): result is { readonly body: unknown; readonly bodyUsed: unknown } {
  return 'body' in result && Object.prototype.toString.call(result) === '[object Response]';
}

function isProcess(result: object): boolean {
  if (!has(result, 'once')) return false;
  return has(result, 'kill') ? 'exitCode' in result : has(result, 'terminate') && 'threadId' in result;
}

function has(result: object, method: PropertyKey): boolean {
  const members: Members = Object(result);
  return typeof members[method] === 'function';
}
