/** Preloaded by `--import`: timers fire up to `TIMERS_EARLY` ms before their time, as a busy kernel's rounding may have it. */
const most = Number(process.env['TIMERS_EARLY'] ?? 0);
const plain = globalThis.setTimeout;

const early = Object.assign(
  (work: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
    plain(work, Math.max(delay - Math.ceil(Math.random() * most), 0), ...args),
  plain,
);

Object.defineProperty(globalThis, 'setTimeout', { value: early, writable: true, configurable: true });
