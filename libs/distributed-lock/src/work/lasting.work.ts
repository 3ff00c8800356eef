import { finished, type Readable, type Stream } from 'node:stream';
import { from, isObservable, lastValueFrom, type ObservableInput } from 'rxjs';
import type { WorkResult } from '../contracts/lock.contract.js';
import type { LockConfigurationError } from '../errors/lock.errors.js';
import type { InScope } from '../holds/hold.scope.js';
import { heldIterable, notAsync } from './held.iteration.js';
import { heldResponse, heldStream } from './held.stream.js';
import { whenExited } from './process.exit.js';

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

/** Whether it has a method of that name. */
export function has(result: object, method: PropertyKey): boolean {
  const members: Members = Object(result);
  return typeof members[method] === 'function';
}

/** A result, and until when it goes on. */
export interface LastingResult<T> {
  /** The result for the caller of the work, which may still go on. */
  readonly result: T;
  /** Resolves when the result has ended, in whatever way; undefined when it has ended already. Never rejects. */
  readonly ended: Promise<void> | undefined;
}

/** Work of another promise library, or a query that begins when it is awaited, begins here: in the scope of the caller. */
export function begun<T>(result: WorkResult<T>): T | PromiseLike<T> {
  // An Observable counts as the value until its kind is checked.
  if (result instanceof Promise || !isThenable(result)) return result as T | Promise<T>;
  return new Promise((resolve, reject) => result.then(resolve, reject));
}

/** Runs work in a scope, and returns until when its result goes on. @throws the error of the work; see {@link awaitLasting} */
export async function runLasting<T>(work: () => WorkResult<T>, inScope: InScope): Promise<LastingResult<T>> {
  const result = await inScope(() => begun(work()));
  const kind = lastingKindOf(result);
  return kind === undefined ? { result, ended: undefined } : await awaitLasting(kind, result, inScope);
}

/**
 * Awaits an Observable, whose last value is the result; anything else that goes on is given to the caller, and ends when it has been
 * read, closed or cancelled there.
 * @throws LockConfigurationError `NOT_ASYNC` for a result whose end cannot be known
 */
export async function awaitLasting<T>(
  kind: LastingKind,
  result: T,
  inScope: InScope,
): Promise<LastingResult<T>> {
  if (kind !== 'observable') return holdLasting(kind, result, inScope);
  const last = (await inScope(() => lastOf(result))) as T;
  const next = lastingKindOf(last);
  return next === undefined ? { result: last, ended: undefined } : await awaitLasting(next, last, inScope);
}

/**
 * The same as {@link awaitLasting} for all results but Observables, at once.
 * @throws LockConfigurationError `NOT_ASYNC` for an Observable as well
 */
export function holdLasting<T>(
  kind: LastingKind,
  result: T,
  inScope: InScope,
): LastingResult<T> & { readonly ended: Promise<void> } {
  let onOver: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (onOver = resolve));
  return { result: hold(kind, result, inScope, onOver) as T, ended };
}

/** @param onOver called when it has ended; more than once, perhaps */
function hold(kind: LastingKind, result: unknown, inScope: InScope, onOver: () => void): unknown {
  switch (kind) {
    case 'stream':
    case 'file':
      // No listener for errors: an error that the application does not handle must not disappear.
      finished(streamOf(kind, result), { error: false }, () => onOver());
      return result;
    case 'web-stream':
      return heldStream(unread(result as ReadableStream), onOver);
    case 'response':
      return heldResponse(result as Response, onOver);
    case 'process':
      void whenExited(result).then(onOver);
      return result;
    case 'async-iterable':
      return heldIterable(result as AsyncIterable<unknown>, inScope, onOver);
    case 'iterator':
      throw refusedIterator();
    case 'observable':
      throw notAsync(
        'The work returned an Observable of another library, which rxjs does not recognize.',
        'Convert it with from().',
      );
  }
}

/**
 * Runs a result to its end where no caller takes it, as that of a tick: an Observable is subscribed to, an iterable is iterated, a stream
 * is read.
 * @returns the last value of an Observable; nothing for anything else that went on; otherwise the result
 * @throws the error with which it ended; LockConfigurationError `NOT_ASYNC` for an iterator
 */
export async function runToEnd(result: unknown): Promise<unknown> {
  const settled = await result;
  const kind = lastingKindOf(settled);
  if (kind === 'observable') return await runToEnd(await lastOf(settled));
  if (kind === undefined) return settled;
  await endOf(kind, settled);
  return undefined;
}

async function endOf(kind: Exclude<LastingKind, 'observable'>, result: unknown): Promise<void> {
  switch (kind) {
    case 'stream':
    case 'file':
      return await streamEnd(streamOf(kind, result));
    case 'web-stream':
      return await unread(result as ReadableStream).pipeTo(new WritableStream());
    case 'response':
      return await runBody((result as Response).body);
    case 'process':
      return await whenExited(result);
    case 'async-iterable':
      for await (const value of result as AsyncIterable<unknown>) void value;
      return;
    case 'iterator':
      throw refusedIterator();
  }
}

/** Some implementations of `fetch` have a stream of Node for a body. */
async function runBody(body: unknown): Promise<void> {
  const kind = lastingKindOf(body);
  if (kind !== undefined && kind !== 'observable') await endOf(kind, body);
}

async function streamEnd(stream: Stream): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    finished(stream as Readable, (error) => (error ? reject(error) : resolve()));
  });
  const { readableFlowing } = stream as Readable;
  // Nothing reads it, and nothing will.
  if (readableFlowing === null) (stream as Readable).resume();
  await ended;
}

/** The stream of Node behind a result. */
export function streamOf(kind: 'stream' | 'file', result: unknown): Readable {
  return kind === 'file' ? (result as { getStream(): Readable }).getStream() : (result as Readable);
}

function unread(stream: ReadableStream): ReadableStream {
  if (!stream.locked) return stream;
  throw notAsync(
    'The work returned a ReadableStream that already has a reader, so its end cannot be detected.',
    'Return a stream that has no reader, or read it inside the work.',
  );
}

function refusedIterator(): LockConfigurationError {
  return notAsync(
    'The work returned an iterator, whose steps would run after the lock is released.',
    'Collect its values inside the work.',
  );
}

async function lastOf(source: unknown): Promise<unknown> {
  return await lastValueFrom(from(source as ObservableInput<unknown>), { defaultValue: undefined });
}

function isThenable<T>(result: WorkResult<T>): result is PromiseLike<T> {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) return false;
  return 'then' in result && typeof result.then === 'function';
}
