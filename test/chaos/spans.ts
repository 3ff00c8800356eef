import type { History } from './history.js';

/** From an instant to another one, in µs. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How much of `span` the others cover, in µs; those may overlap. */
export function covered(span: Span, others: readonly Span[]): number {
  return span.to - span.from - length(without(span, others));
}

/** What is left of `span` outside of the others. */
export function without(span: Span, others: readonly Span[]): Span[] {
  let left = [span];
  for (const other of others)
    left = left.flatMap((piece) =>
      [
        { from: piece.from, to: Math.min(piece.to, other.from) },
        { from: Math.max(piece.from, other.to), to: piece.to },
      ].filter(({ from, to }) => from < to),
    );
  return left;
}

export function length(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

export function meets(span: Span, other: Span): boolean {
  return span.from < other.to && other.from < span.to;
}

/** After a fault connections come back, and what was queued is worked off. In µs. */
const RECOVERY = 1_000_000;

/** A process whose event loop stands still for longer is as good as stopped to the others, in µs. */
const BUSY = 30_000;

/** How long others may not know that a process was killed, in µs: what it did for a queue is done by another one then. */
const MISSED = 3_000_000;

/** Faults while which whoever wants to ask Redis gets an answer. */
const ANSWERED = /FLUSH|evict|clock|worker killed|replica|slot/;

/** When something was wrong, and what. */
export class Disturbances {
  readonly faults: readonly (Span & { readonly name: string; readonly lossy: boolean })[];
  readonly #stops = new Map<number, Span[]>();
  readonly #stalls = new Map<number, Span[]>();
  readonly #deaths = new Map<number, Span[]>();

  constructor({ watched, told }: History) {
    this.faults = watched.flatMap((event) =>
      event.kind === 'fault' ? [{ from: event.at, to: event.to, name: event.fault, lossy: event.lossy }] : [],
    );
    const stopped = new Map<number, number>();
    for (const event of watched) {
      if (event.kind !== 'signal') continue;
      if (event.what === 'kill') add(this.#deaths, event.worker, { from: event.at, to: event.at + MISSED });
      const since = stopped.get(event.worker);
      if (event.what === 'stop') stopped.set(event.worker, since ?? event.at);
      else if (since !== undefined) {
        add(this.#stops, event.worker, { from: since, to: event.at });
        stopped.delete(event.worker);
      }
    }
    for (const event of told)
      if (event.kind === 'stalled')
        add(this.#stalls, event.worker, { from: event.at - event.gap, to: event.at });
  }

  /** When the worker was stopped by a signal. */
  stopsOf(worker: number): readonly Span[] {
    return this.#stops.get(worker) ?? [];
  }

  /** When the worker's event loop stood still. */
  stallsOf(worker: number): readonly Span[] {
    return [...(this.#stalls.get(worker) ?? []), ...this.stopsOf(worker)];
  }

  /** The workers, by their index, that others may have missed in that span: they were stopped, busy or killed. */
  missedIn(span: Span): Set<number> {
    const missed = new Set<number>();
    for (const spans of [this.#deaths, this.#stops, this.#stalls])
      for (const [worker, times] of spans)
        if (times.some((time) => time.to - time.from > BUSY && meets(time, span))) missed.add(worker);
    return missed;
  }

  /** When somebody may not have been able to ask Redis, the time after it included in which connections come back. */
  get silences(): Span[] {
    return this.faults
      .filter(({ name }) => !ANSWERED.test(name))
      .map(({ from, to }) => ({ from, to: to + RECOVERY }));
  }

  /** Whether nothing was wrong, nor had been shortly before. @param but faults that are no matter */
  isQuiet(span: Span, but: (fault: Span & { readonly name: string }) => boolean = () => false): boolean {
    return !this.faults.some(
      (fault) => !but(fault) && meets(span, { from: fault.from, to: fault.to + RECOVERY }),
    );
  }

  /** Whether the store may have lost data, or its clock stepped. */
  isLossy(span: Span): boolean {
    return this.faults.some((fault) => fault.lossy && meets(span, fault));
  }

  /** Whether another server may have become the store, which did not know of all that had been granted and released. */
  isRolledBack(span: Span): boolean {
    return this.faults.some(
      (fault) => fault.lossy && /failover|master/i.test(fault.name) && meets(span, fault),
    );
  }
}

function add(map: Map<number, Span[]>, worker: number, span: Span): void {
  const spans = map.get(worker) ?? [];
  spans.push(span);
  map.set(worker, spans);
}
