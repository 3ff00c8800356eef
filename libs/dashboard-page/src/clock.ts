import { useLayoutEffect, useState } from 'preact/hooks';

/** The clock of Redis, as the last event gave it, and the one timer of the page that runs each second. */
export class Clock {
  private offset = 0;
  private frozen: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

  /** Epoch ms by the clock of Redis; that of the last event while the clock is frozen. */
  now(): number {
    return this.frozen ?? this.wall();
  }

  /** Epoch ms by the clock of Redis, frozen or not. */
  wall(): number {
    return Date.now() + this.offset;
  }

  /** @param at the time of Redis in an event that has just arrived */
  sync(at: number): void {
    this.offset = at - Date.now();
    this.frozen = undefined;
  }

  /** Old figures are shown by the time at which they were read: a job must not become overdue because Redis is away. */
  freeze(at: number | undefined): void {
    this.frozen = at;
    this.notify();
  }

  /** @returns ends it */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Runs while the page is visible. */
  start(): void {
    this.stop();
    this.notify();
    this.wait();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Shortly behind each full second, so that no second of a countdown is left out. */
  private wait(): void {
    this.timer = setTimeout(
      () => {
        this.notify();
        this.wait();
      },
      1020 - (this.wall() % 1000),
    );
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/**
 * A value that follows from the time. The component is rendered again when the value is another one, not each second.
 * @param select gives a string, a number or a boolean
 */
export function useClock<T extends string | number | boolean>(clock: Clock, select: (now: number) => T): T {
  const value = select(clock.now());
  const [, render] = useState(value);
  useLayoutEffect(() => clock.follow(() => render(() => select(clock.now()))));
  return value;
}
