/** The exit codes of the command; docs/operations.md has them for users. `run` ends with its command's own code beside these. */
export const EXIT = {
  done: 0,
  /** The doctor has found something, or with `--strict` a warning. */
  unwell: 1,
  /** Redis has no record of such a job. A lock without a holder is not absent, but free. */
  unknown: 1,
  usage: 2,
  /** Redis could not be reached, or refused (EX_UNAVAILABLE). */
  unavailable: 69,
  /** Another holder has the lock (EX_TEMPFAIL). */
  refused: 75,
  /** The lease was lost, and the command killed. */
  lost: 76,
  /** The command cannot be run, or is missing: the code that shells use. */
  unrunnable: 126,
  unfound: 127,
  /** Plus the number of the signal that ended the command. */
  signalled: 128,
} as const;
