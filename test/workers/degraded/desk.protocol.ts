/** What a desk worker is told at its start, as JSON in `DESK_WORKER`. */
export interface DeskSettings {
  readonly redis: string;
  /** A folder that all instances share: who works has a file there for the lock that it works under. */
  readonly folder: string;
}

/** What a desk worker reports. */
export type DeskMessage =
  | { readonly kind: 'ready'; readonly url: string }
  /** A line of the library in Nest's log. */
  | { readonly kind: 'log'; readonly text: string }
  /** How late its timers were at worst, in ms. */
  | { readonly kind: 'lag'; readonly worst: number }
  /** Work that ran beside other work of its lock, or without its lock; what would end a process without a listener. */
  | { readonly kind: 'trouble'; readonly text: string };
