/** Why something is no source of a Redis. */
export interface SourceFault {
  /** What was given, with its article; has no secret in it. */
  readonly given: string;
  /** What to write instead: a sentence. */
  readonly remedy: string;
}
