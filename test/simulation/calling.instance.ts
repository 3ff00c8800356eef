import type { SimulatedProcess } from './simulated.process.js';

/** An instance on any topology, as its callers and their rules see it. */
export interface CallingInstance {
  readonly name: string;
  readonly process: SimulatedProcess;
  readonly isLive: boolean;
  readonly isRunning: boolean;
  /** It is being shut down: the signals of its holders abort. */
  readonly isEnding: boolean;
  /** Whether it has the connections without which it may wait for longer than the library promises. */
  readonly isConnected: boolean;
  /** The moment from which nothing kept it from talking to its servers. */
  readonly calmSince: number;
  /** Whether a grant that too few replicas have is given back, and asked for again. */
  readonly isAcked?: boolean;
  /** Holder ids of holds that it has lost → when, where that is known. */
  readonly lost?: ReadonlyMap<string, number>;
  /** When it was killed, or had ended, and its server ran the last of what it had received. */
  readonly endedAt: number;
}
