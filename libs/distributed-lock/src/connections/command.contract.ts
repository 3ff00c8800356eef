import type { Answer } from '../cluster/acked.calls.js';
import type { RedisFailure } from '../redis/redis.failure.js';
import type { ScriptCommand, ScriptWords } from '../client-port/script.command.js';

/** Receives the answer, or the failure, of one script. A promise would cost more than everything else that is done here. */
export interface CommandCallback {
  answered(reply: Answer['reply'], verdict?: Answer['verdict']): void;
  failed(failure: RedisFailure): void;
}

/** The sender of scripts: connections to Redis, or a store in memory. A command is sent at most once. */
export interface Commands {
  readonly lifecycle: {
    /** Starts connecting, where that is needed. */
    start(): void;
    /** Why there is no connection, and to which address. */
    readonly lastTrouble: string;
  };
  readonly isReady: boolean;
  /** The command that publishes on a channel. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  /** Whether replicas have to acknowledge grants. */
  readonly isAcked: boolean;
  /** Calls `listener` each time commands can be sent again. */
  onReady(listener: () => void): void;
  /** Keys of one group can share one script: all keys, or those of a slot. */
  groupOf(key: string): number;
  /** Resolves when a script may be sent whose grants replicas have to acknowledge. */
  untilSendable(key: string): Promise<void>;
  /**
   * Runs a script.
   * @param isAcked whether replicas have to acknowledge its grants: then it must be sent in its {@link untilSendable}
   */
  run(command: ScriptCommand, words: ScriptWords, isAcked: boolean, callback: CommandCallback): void;
  /** To be called for a master that has become a replica, and can still be reached. */
  demoted(): void;
}
