/** The machine's monotonic clock in µs: the same in every process. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
