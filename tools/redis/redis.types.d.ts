/** Where a Redis to test against comes from. */
export type RedisServer =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'binary';
      readonly path: string;
      /** Where it was found, for people. */
      readonly how: string;
      /** What its environment needs beside ours. */
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'docker'; readonly command: string; readonly image: string };

export interface FindOptions {
  /** Leaves `REDIS_URL` out: a server of one's own is needed, to stop or to pause it. */
  readonly own?: boolean;
  /** Where to look beside PATH. @default Homebrew's folders */
  readonly folders?: readonly string[];
}

export interface StartOptions {
  /** A loopback port. @default a free one, below 55536, so that a cluster bus fits above it */
  readonly port?: number;
  /** Further arguments of redis-server; they win over the defaults. */
  readonly args?: readonly string[];
  /** The text of a configuration file, which Sentinel needs; it is not written where the folder has one already. */
  readonly config?: string;
  /** A folder of the caller's that stays when the server ends, so that it can come again with what it knew. @default one of its own */
  readonly folder?: string;
  /** Further variables of the server's environment; a container does not get them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets every line that the server prints. */
  readonly onLog?: (line: string) => void;
}

/** A Redis that answers. */
export interface RunningRedis {
  readonly url: string;
  readonly port: number;
  /** 0 for a server that we did not start. */
  readonly pid: number;
  /** Settles once the server is gone. */
  readonly exited: Promise<void>;
  /** Ends the server in order, and removes its folder where that is not the caller's. A server that we did not start is left alone. */
  stop(): Promise<void>;
  /** Sends a signal, `SIGKILL` by default, and waits for the end where the signal ends a process. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops the process without ending it: connections stay open, nothing is answered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}
