/** Preloaded by `--import`: the process's wall clock is `CLOCK_SHIFT` ms ahead of the machine's, now and when that changes. Timers are as ever. */
const RealDate = Date;

function shiftedNow(): number {
  return RealDate.now() + Number(process.env['CLOCK_SHIFT'] ?? 0);
}

class ShiftedDate extends RealDate {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(shiftedNow());
    else super(...args);
  }

  static override now(): number {
    return shiftedNow();
  }
}

Object.defineProperty(globalThis, 'Date', { value: ShiftedDate, writable: true, configurable: true });
