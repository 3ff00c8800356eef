import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { StreamableFile } from '@nestjs/common';
import { defer, from, isObservable, lastValueFrom, Subject } from 'rxjs';
import type { LastingKind } from '../../libs/distributed-lock/src/work/lasting.work.js';
import { Gate } from '../locks/gate.js';

/** One piece of work that a door runs. */
export interface Piece {
  /** What the work gives; called inside of its lock. */
  readonly give: () => unknown;
  /** Takes what the door gave its caller, as a caller does that wants all of it. */
  readonly take: (result: unknown) => unknown;
  /** Lets the work come to its end. */
  readonly end: () => void;
  /** Whether any of what the work gives has begun. */
  readonly began: () => boolean;
}

/** What becomes of a piece: the lock is held until it has ended; it never runs; or it has ended with the promise of the work. */
export type Fate = 'held' | 'refused' | 'over';

export interface PieceKind {
  readonly fate: Fate;
  /** Undefined for what settles like any value. */
  readonly lasting: LastingKind | undefined;
  readonly make: () => Piece;
}

/** A piece whose `give` has a gate and notes that it began. */
function gated(
  give: (gate: Gate, begin: () => void) => unknown,
  take: (result: unknown) => unknown = takeAll,
): () => Piece {
  return () => {
    const gate = new Gate();
    let began = false;
    const begin = () => void (began = true);
    return { give: () => give(gate, begin), take, end: () => gate.open(), began: () => began };
  };
}

/** What ends by itself, and before any caller has it. */
const atOnce = (give: () => unknown) =>
  gated(
    (_gate, begin) => {
      begin();
      return give();
    },
    () => undefined,
  );

/** Takes whatever a door may give: it subscribes, iterates or reads. */
export async function takeAll(result: unknown): Promise<void> {
  if (isObservable(result)) return await takeAll(await lastValueFrom(result, { defaultValue: undefined }));
  if (result instanceof StreamableFile) return await takeAll(result.getStream());
  if (result instanceof Response) return void (await result.arrayBuffer());
  if (typeof result !== 'object' || result === null) return;
  if (result instanceof Writable && !(result instanceof PassThrough)) return;
  if (!(Symbol.asyncIterator in result)) return;
  const iterable: AsyncIterable<unknown> = Object(result);
  for await (const value of iterable) void value;
}

const untilOpen = (gate: Gate, begin: () => void) => async (): Promise<string> => {
  begin();
  await gate.opened;
  return 'done';
};

async function* steps(gate: Gate, begin: () => void) {
  begin();
  yield 'first';
  await gate.opened;
  yield 'last';
}

function readable(gate: Gate, begin: () => void): Readable {
  return Readable.from(steps(gate, begin));
}

function webStream(gate: Gate, begin: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: async (controller) => {
      begin();
      controller.enqueue(new TextEncoder().encode('first'));
      await gate.opened;
      controller.close();
    },
  });
}

/** What a library without rxjs calls an Observable. */
function foreign(gate: Gate, begin: () => void): unknown {
  const subscribe = (observer: { next(value: string): void; complete(): void }) => {
    begin();
    void gate.opened.then(() => {
      observer.next('done');
      observer.complete();
    });
    return { unsubscribe: () => undefined };
  };
  return { '@@observable': () => ({ subscribe }), subscribe };
}

/** A query that is sent when it is awaited. */
class LazyQuery {
  constructor(private readonly send: () => Promise<string>) {}

  // oxlint-disable-next-line unicorn/no-thenable -- query builders are thenables, which is what this is about
  then<T>(take: (value: string) => T, fail: (error: unknown) => T): Promise<T> {
    return this.send().then(take, fail);
  }
}

/** Has methods of its own, as the cursor of a database driver. */
class Cursor {
  #source: AsyncGenerator<string>;

  constructor(gate: Gate, begin: () => void) {
    this.#source = steps(gate, begin);
  }

  [Symbol.asyncIterator](): AsyncGenerator<string> {
    return this.#source;
  }

  get batchSize(): number {
    return 1;
  }
}

const [held, over, refused] = [
  (lasting: LastingKind | undefined, make: () => Piece): PieceKind => ({ fate: 'held', lasting, make }),
  (make: () => Piece): PieceKind => ({ fate: 'over', lasting: undefined, make }),
  (lasting: LastingKind, make: () => Piece): PieceKind => ({ fate: 'refused', lasting, make }),
];

/** Everything that work can return, as far as we can think of it. */
export const PIECES: Readonly<Record<string, PieceKind>> = {
  nothing: over(atOnce(() => undefined)),
  value: over(atOnce(() => ({ id: 7 }))),
  array: over(atOnce(() => [1, 2])),
  map: over(atOnce(() => new Map([[1, 2]]))),
  function: over(atOnce(() => () => 'later')),
  emitter: over(atOnce(() => new EventEmitter())),
  'response without a body': over(atOnce(() => new Response(null, { status: 204 }))),
  'proxy that refuses to be read': over(
    atOnce(
      () =>
        new Proxy(
          {},
          {
            get: (_target, name) => {
              if (name === 'then') return undefined;
              throw new Error('not to be read');
            },
          },
        ),
    ),
  ),
  promise: held(
    undefined,
    gated((gate, begin) => untilOpen(gate, begin)()),
  ),
  'lazy thenable': held(
    undefined,
    gated((gate, begin) => new LazyQuery(untilOpen(gate, begin))),
  ),
  'promise of a lazy thenable': held(
    undefined,
    gated(async (gate, begin) => new LazyQuery(untilOpen(gate, begin))),
  ),
  'cold observable': held(
    'observable',
    gated((gate, begin) => defer(untilOpen(gate, begin))),
  ),
  'promise of an observable': held(
    'observable',
    gated(async (gate, begin) => defer(untilOpen(gate, begin))),
  ),
  'hot observable': held(
    'observable',
    gated((gate, begin) => {
      const hot = new Subject<string>();
      void untilOpen(gate, begin)().then(() => hot.complete());
      return hot;
    }),
  ),
  'observable of another library': held('observable', gated(foreign)),
  'observable of a promise': held(
    'observable',
    gated((gate, begin) => from([untilOpen(gate, begin)()])),
  ),
  'async generator': held('async-iterable', gated(steps)),
  cursor: held(
    'async-iterable',
    gated((gate, begin) => new Cursor(gate, begin)),
  ),
  readable: held('stream', gated(readable)),
  'promise of a readable': held(
    'stream',
    gated(async (gate, begin) => readable(gate, begin)),
  ),
  'observable of a readable': held(
    'stream',
    gated((gate, begin) => defer(async () => readable(gate, begin))),
  ),
  transform: held(
    'stream',
    gated((gate, begin) => readable(gate, begin).pipe(new PassThrough())),
  ),
  writable: held(
    'stream',
    gated((gate, begin) =>
      readable(gate, begin).pipe(new Writable({ write: (_chunk, _encoding, next) => next() })),
    ),
  ),
  'web stream': held('web-stream', gated(webStream)),
  response: held(
    'response',
    gated((gate, begin) => new Response(webStream(gate, begin))),
  ),
  'streamable file': held(
    'file',
    gated((gate, begin) => new StreamableFile(readable(gate, begin))),
  ),
  'child process': held('process', () => {
    const child = () =>
      spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    let started: ReturnType<typeof child> | undefined;
    return {
      give: () => (started = child()),
      take: () => undefined,
      end: () => started?.stdin.end(),
      began: () => started?.pid !== undefined,
    };
  }),
  worker: held('process', () => {
    const code = 'setInterval(() => undefined, 1000)';
    let started: Worker | undefined;
    return {
      give: () => (started = new Worker(code, { eval: true })),
      take: () => undefined,
      end: () => void started?.terminate(),
      began: () => started !== undefined,
    };
  }),
  generator: refused(
    'iterator',
    gated(function* (_gate, begin) {
      begin();
      yield 'first';
    }),
  ),
  'iterator of a map': refused(
    'iterator',
    gated(() => new Map([[1, 2]]).values()),
  ),
};
