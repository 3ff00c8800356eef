/** What an exception of Java looks like from here. */
export class JavaError extends Error {
  /** When the command that failed began and ended, as the Java side saw it. */
  readonly from: number;
  readonly at: number;

  constructor(
    /** The exception's class, without its package. */
    readonly javaClass: string,
    message: string,
    { from, at }: { readonly from: number; readonly at: number },
  ) {
    super(`${javaClass}: ${message}`);
    this.from = from;
    this.at = at;
  }
}
