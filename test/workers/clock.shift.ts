/** Preloaded by `--import`: the process's wall clock is `CLOCK_SHIFT` ms ahead of the machine's. Timers are as ever. */
const shift = Number(process.env['CLOCK_SHIFT'] ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

Object.defineProperty(globalThis, 'Date', { value: ShiftedDate, writable: true, configurable: true });
