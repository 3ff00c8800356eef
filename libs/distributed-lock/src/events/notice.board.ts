/** What happened to a hold. Durations in ms. */
export type HoldNotice =
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'overheld'; readonly maxHold: number }
  | { readonly kind: 'long-hold'; readonly held: number };

/** What happened to a lock that somebody should know of. Durations in ms. */
export type Notice =
  | (HoldNotice & { readonly lock: string; readonly holder: string })
  | { readonly kind: 'long-wait'; readonly lock: string; readonly waited: number; readonly heldBy: string }
  | { readonly kind: 'release-delayed'; readonly lock: string; readonly holder: string; readonly why: string }
  | { readonly kind: 'release-refused'; readonly lock: string; readonly holder: string; readonly why: string }
  | { readonly kind: 'call-delayed'; readonly lock: string; readonly what: string; readonly why: string }
  | { readonly kind: 'call-refused'; readonly lock: string; readonly what: string; readonly why: string }
  | { readonly kind: 'unpublished'; readonly lock: string; readonly channel: string }
  | { readonly kind: 'disconnected'; readonly address: string; readonly why: string }
  | { readonly kind: 'reconnected'; readonly address: string }
  | { readonly kind: 'failover-undetected'; readonly address: string }
  | { readonly kind: 'unreplicated'; readonly why: string }
  | { readonly kind: 'unsafe-server'; readonly address: string; readonly why: string }
  | { readonly kind: 'clock-offset'; readonly offset: number }
  | { readonly kind: 'clock-stepped'; readonly lock: string; readonly mark: number }
  | {
      readonly kind: 'shared-job';
      readonly lock: string;
      readonly what: 'app' | 'schedule';
      readonly is: string;
      readonly was: string;
    }
  | { readonly kind: 'tick-skipped'; readonly lock: string; readonly tick: number; readonly why: string }
  | { readonly kind: 'tick-missed'; readonly lock: string; readonly tick: number; readonly why: string }
  | {
      readonly kind: 'tick-crashed';
      readonly lock: string;
      readonly tick: number;
      readonly attempt: number;
      /** That ran it. */
      readonly instance: string;
    }
  | { readonly kind: 'tick-unclaimed'; readonly lock: string; readonly why: string }
  | { readonly kind: 'unscheduled-once'; readonly lock: string };

export type NoticeListener = (notice: Notice) => void;

/** Tells whoever listens. A listener can never break a lock: what it throws is dropped. */
export class NoticeBoard {
  readonly #listeners = new Set<NoticeListener>();

  listen(listener: NoticeListener): void {
    this.#listeners.add(listener);
  }

  post(notice: Notice): void {
    for (const listener of this.#listeners) {
      try {
        listener(notice);
      } catch {
        // A logger that throws has nobody to be told to.
      }
    }
  }
}
