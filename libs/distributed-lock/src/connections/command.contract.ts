import type { Answer } from '../cluster/acked.calls.js';
import type { RedisFailure } from '../redis/redis.failure.js';
import type { ScriptCommand, ScriptWords } from '../redis/script.command.js';

/** Who sent a script, and hears what becomes of it. A promise for it would cost more than all that is done here. */
export interface CommandCallback {
  answered(reply: Answer['reply'], verdict?: Answer['verdict']): void;
  failed(failure: RedisFailure): void;
}

/** What scripts are sent on: connections to Redis, or a store in memory. A command is sent at most once. */
export interface Commands {
  readonly lifecycle: {
    /** Starts connecting, where that is needed. */
    start(): void;
    /** Why there is no connection, and to where. */
    readonly lastTrouble: string;
  };
  readonly isReady: boolean;
  /** The command that tells a channel. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  /** Whether replicas have to acknowledge what is granted. */
  readonly isAcked: boolean;
  /** Calls `listener` each time commands can be sent again. */
  onReady(listener: () => void): void;
  /** Keys of one group can travel in one script: all of them, or those of a slot. */
  groupOf(key: string): number;
  /** Resolves when a script may be sent whose grants replicas have to acknowledge. */
  turn(key: string): Promise<void>;
  /**
   * Runs a script.
   * @param isAcked whether replicas have to acknowledge it: then it is to be sent in its {@link turn}
   */
  run(how: ScriptCommand, words: ScriptWords, isAcked: boolean, callback: CommandCallback): void;
  /** A master that has become a replica, and can still be reached. */
  demoted(): void;
}
