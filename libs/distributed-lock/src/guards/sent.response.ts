import { finished, type Writable } from 'node:stream';
import { lastingKindOf } from '../work/lasting.work.js';

/** Resolves when a response that a handler sends by itself has been sent, or its client has left; at once for a value that is no response. */
export async function whenSent(response: unknown): Promise<void> {
  // A reply of Fastify has the response beside it.
  const { raw = response }: { readonly raw?: unknown } = Object(response);
  if (lastingKindOf(raw) !== 'stream') return;
  await new Promise<void>((resolve) => finished(raw as Writable, { error: false }, () => resolve()));
}
