/** What a test tells a holder process. */
export type HolderCommand =
  | { readonly kind: 'hold'; readonly names: readonly string[] }
  | { readonly kind: 'spin' | 'unlock'; readonly name: string }
  | { readonly kind: 'look' | 'close' };

/** What a holder process tells the test. */
export type HolderReport =
  | { readonly kind: 'ready' | 'holding' | 'spinning' }
  | { readonly kind: 'woke'; readonly isHeld: boolean; readonly aborted: boolean }
  | { readonly kind: 'unlocked'; readonly outcome: string }
  | {
      readonly kind: 'state';
      readonly aborted: number;
      /** Epoch ms. */
      readonly lastAbort: number;
      readonly troubles: readonly string[];
    };
