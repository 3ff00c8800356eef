/** The event loop of this process stands still, as under code that computes without a pause; the CPU is left to others. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
