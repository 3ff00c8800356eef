import { finished, type Readable } from 'node:stream';
import { machine } from '../timing/machine.js';

/** How much of a response is read ahead of its caller, in bytes: the work of most requests ends although their body is never read. */
const READ_AHEAD = 1_048_576;

/** How long a result may stay unread before it counts as read to its end, in ms: it may never be read. */
export const GRACE = 1000;

/**
 * A stream with the chunks of `source`, and with a report of its end: read, failed or cancelled.
 * @param onOver called at the end
 * @param ahead how much is read ahead of the reader, in bytes, or in chunks that have none
 */
export function heldStream(source: ReadableStream, onOver: () => void, ahead = 0): ReadableStream {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        onOver();
      },
      cancel: async (reason) => {
        try {
          await reader.cancel(reason);
        } finally {
          onOver();
        }
      },
    },
    { highWaterMark: ahead, size: (chunk) => (ArrayBuffer.isView(chunk) ? chunk.byteLength : 1) },
  );
}

/** The same response, with a body that reports its end. */
export function heldResponse(response: Response, onOver: () => void): Response {
  const { body, status, statusText, headers, url, type, redirected } = response;
  if (!(body instanceof ReadableStream)) {
    // An implementation whose bodies are streams of Node.
    const stream = Object(body) as Readable;
    const unread = machine.global
      .setTimeout(() => stream.readableFlowing !== true && onOver(), GRACE)
      .unref();
    finished(stream, { error: false }, () => {
      clearTimeout(unread);
      onOver();
    });
    return response;
  }
  if (body.locked) {
    onOver();
    return response;
  }
  const Implementation = response.constructor as typeof Response;
  const held = new Implementation(heldStream(body, onOver, READ_AHEAD), { status, statusText, headers });
  const origin = { url, type, redirected };
  for (const [name, value] of Object.entries(origin)) Object.defineProperty(held, name, { value });
  return held;
}
