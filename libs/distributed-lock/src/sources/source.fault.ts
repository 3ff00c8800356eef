/** Why a value is no source of a Redis. */
export interface SourceFault {
  /** The given value, with its article; has no secret in it. */
  readonly given: string;
  /** The correction, as a sentence. */
  readonly remedy: string;
}
