/** The members in use of a client of the `redis` package, versions 5 and 6. */
export interface RawClient {
  readonly options?: RawOptions | undefined;
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand(words: readonly string[]): Promise<unknown>;
  subscribe(channels: string[], listener: RawListener): Promise<unknown>;
  unsubscribe(channels: string[], listener: RawListener): Promise<unknown>;
  sSubscribe(channels: string[], listener: RawListener): Promise<unknown>;
  sUnsubscribe(channels: string[], listener: RawListener): Promise<unknown>;
  on(event: string, listener: (value: unknown) => void): unknown;
}

/** Called for each message. */
export type RawListener = (message: string, channel: string) => void;

/** The options in use of such a client. */
export interface RawOptions {
  readonly name?: string | undefined;
  readonly RESP?: number | undefined;
  /** Since version 6. */
  readonly keyPrefix?: string | undefined;
  readonly socket?: RawSocketOptions | undefined;
}

/** The options in use of its socket. */
export interface RawSocketOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly tls?: unknown;
}
