/** The names of one lock. */
export interface LockNames {
  /** As the user says it. */
  readonly name: string;
  /** In Redis: with prefix, or mapped. */
  readonly key: string;
  readonly channel: string;
}
