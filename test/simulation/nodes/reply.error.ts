/** An error reply of a node, as ioredis rejects with it. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}
