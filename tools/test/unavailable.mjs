/** Says in one line what a machine lacks: a suite that needs it is skipped, aloud. */
export class Unavailable extends Error {}
