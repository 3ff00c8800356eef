/** What an interop worker is told at its start, as JSON in `INTEROP_WORKER`. */
export interface WorkerSettings {
  readonly redis: string;
  /** In ms. */
  readonly lockWatchdogTimeout: number;
}

/** A kind of lock, as the worker's commands name it. */
export type NodeKind = 'reentrant' | 'fair' | 'read' | 'write' | 'fenced' | 'spin';

/** What a worker is asked to do. Times are in ms. */
export type WorkerCommand =
  /** Takes a lock, waiting for it; answers with the holder id. */
  | {
      readonly do: 'lock';
      readonly kind: NodeKind;
      readonly name: string;
      readonly leaseTime?: number | undefined;
      readonly waitTime?: number | undefined;
    }
  /** Gives back what the holder took. */
  | { readonly do: 'unlock'; readonly holder: string }
  /** `scopes` callers take a lock again and again; answers with their sections as text. */
  | {
      readonly do: 'loop';
      readonly kind: NodeKind;
      readonly name: string;
      readonly counter: string;
      readonly scopes: number;
      readonly ms: number;
    };

/** What a worker answers. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly value: string;
      /** When it was begun and answered; epoch ms. */
      readonly from: number;
      readonly at: number;
      readonly error?: string;
    };
