import { finished, type Readable } from 'node:stream';
import type { InScope } from '../holds/hold.scope.js';
import { machine } from '../timing/machine.js';
import { isAsyncGenerator } from './held.iteration.js';
import { GRACE } from './held.stream.js';
import { has, lastingKindOf, streamOf, type LastingKind } from './lasting.work.js';

/**
 * Ends a result that no caller takes, such as that of a handler whose request was answered by a timeout: it may keep a file open.
 * @returns when it has ended; undefined for a result that has to end by itself. Never rejects
 */
export function discardLasting(
  kind: LastingKind,
  result: unknown,
  inScope: InScope,
): Promise<void> | undefined {
  const end = enderOf(kind, result);
  return end === undefined ? undefined : inScope(async () => void (await end())).then(ignore, ignore);
}

function enderOf(kind: LastingKind, result: unknown): (() => unknown) | undefined {
  switch (kind) {
    case 'stream':
    case 'file': {
      const stream = streamOf(kind, result);
      // What can only be written to is the connection of a client.
      const isBody = has(stream, 'read') && has(stream, 'destroy');
      return isBody && !hasReader(stream) ? () => whenDestroyed(stream) : undefined;
    }
    case 'web-stream': {
      const stream = result as ReadableStream;
      return stream.locked ? undefined : () => stream.cancel();
    }
    case 'response': {
      const { body } = result as Response;
      const inner = lastingKindOf(body);
      return inner === undefined ? undefined : enderOf(inner, body);
    }
    case 'async-iterable':
      // Another one may be read later, or was never begun.
      return isAsyncGenerator(result) ? () => result.return(undefined) : undefined;
    case 'process':
    case 'iterator':
    case 'observable':
      return undefined;
  }
}

function hasReader(stream: Readable): boolean {
  return (
    stream.readableFlowing === true || ['data', 'readable'].some((event) => stream.listenerCount(event) > 0)
  );
}

/** Resolves when the stream has closed, or after a grace period: some streams report no end. */
function whenDestroyed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const silent = machine.global.setTimeout(resolve, GRACE).unref();
    finished(stream, { error: false }, () => {
      clearTimeout(silent);
      resolve();
    });
    // Its error has no receiver: the request is over.
    stream.once('error', ignore).destroy();
  });
}

function ignore(): void {}
