/** Why a client has no connection, as its adapter reads it from the client's errors. */
export interface ConnectionTrouble {
  /** The reason, without a secret; an empty text while none is known. */
  readonly why: string;
  /** Whether a server can be reached, and refuses the user, or provides {@link isMismatch | another connection} than demanded. */
  readonly isRefusal: boolean;
  /** Whether there was a connection, and it was not the demanded one. */
  readonly isMismatch: boolean;
  /** Records the error of the client's `error` event, or of a rejection. */
  record(error: unknown): void;
  /** To be called when there is a connection. */
  clear(): void;
}
