/** The members in use of an ioredis client, single or cluster, of version 5 or 6. */
export interface ClientPort {
  readonly status: string;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  evalsha(sha1: string, numberOfKeys: number, ...rest: string[]): Promise<unknown>;
  eval(text: string, numberOfKeys: number, ...rest: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  pubsub(subcommand: 'SHARDNUMSUB'): Promise<unknown>;
  ping(): Promise<unknown>;
  info(section: string): Promise<unknown>;
  on(event: string, listener: (...values: string[]) => void): unknown;
  once(event: string, listener: () => void): unknown;
}
