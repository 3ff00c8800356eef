import {
  boolean,
  array,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  subarray,
  type Arbitrary,
} from 'fast-check';

/**
 * All instants of a run are full units apart, but for leases, which end in between, and for the times near which a waiter is
 * asked whether it lives. So nothing is decided by the few ms that really pass.
 */
const UNIT = 20_000;
export const LIFE = 3 * UNIT;
export const MARGIN = 1.25 * UNIT;
export const SHORT = 2.5 * UNIT;
export const LONG = 4.5 * UNIT;
/** Every duration of a run is a multiple of this; half of it may really pass. */
export const GRAIN = UNIT / 4;

/** The holders, and the wait that each of them declares. */
export const WAITS = {
  'node-a:1': 30 * UNIT,
  'node-a:2': 2 * UNIT,
  'node-b:1': 6 * UNIT,
  'java-c:1': 30 * UNIT,
  'java-d:1': 6 * UNIT,
};
export type Holder = keyof typeof WAITS;

/** What no client does to the keys. */
const DAMAGES = [
  'take its time',
  'take its place',
  'put it at the end',
  'take the ttl of the lock',
  'take the lock',
  'take the waits',
  'take the signs of life',
] as const;
export type Damage = (typeof DAMAGES)[number];

/** One thing that happens. The owner is whoever has the lock, the head whoever stands first in the queue. */
export type Move =
  | {
      readonly do: 'wait';
      readonly who: Holder | 'head';
      readonly lease: number;
      /** Whether it takes a gift. */
      readonly isGiven: boolean;
    }
  | { readonly do: 'try'; readonly who: Holder | 'head'; readonly lease: number }
  | { readonly do: 'enter'; readonly who: Holder | 'owner'; readonly count: number; readonly lease: number }
  | { readonly do: 'lower'; readonly who: Holder | 'owner'; readonly count: number; readonly lease: number }
  | {
      readonly do: 'end';
      readonly who: Holder | 'owner' | 'head';
      /** Whether it hands the lock to a head of its own client. */
      readonly isHanding: boolean;
    }
  | { readonly do: 'renew'; readonly who: Holder | 'owner'; readonly lease: number }
  | { readonly do: 'force' }
  | {
      readonly do: 'beat';
      readonly client: 'node-a' | 'node-b';
      /** The newest of its holder ids. */
      readonly last: number;
      /** Those of them that wait or hold. */
      readonly live: readonly number[];
    }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'damage'; readonly what: Damage; readonly who: Holder };

const holder = constantFrom<Holder>('node-a:1', 'node-a:2', 'node-b:1', 'java-c:1', 'java-d:1');
const owner = oneof({ weight: 2, arbitrary: constant('owner' as const) }, holder);
const head = oneof({ weight: 3, arbitrary: holder }, constant('head' as const));
const anybody = oneof({ weight: 3, arbitrary: constant('owner' as const) }, head);
const lease = constantFrom(SHORT, LONG);
const count = integer({ min: 1, max: 3 });

function beat(last: Arbitrary<number>, live: Arbitrary<number[]>): Arbitrary<Move> {
  return record({ do: constant('beat'), client: constantFrom('node-a', 'node-b'), last, live });
}

const MOVES: readonly [number, Arbitrary<Move>][] = [
  [30, record({ do: constant('wait'), who: head, lease, isGiven: boolean() })],
  [4, record({ do: constant('try'), who: head, lease })],
  [4, record({ do: constant('enter'), who: owner, count, lease })],
  [4, record({ do: constant('lower'), who: owner, count, lease })],
  [20, record({ do: constant('end'), who: anybody, isHanding: boolean() })],
  [4, record({ do: constant('renew'), who: owner, lease: oneof(lease, constant(0)) })],
  [2, record({ do: constant('force') })],
  [14, beat(constantFrom(0, 2), constant([1, 2]))],
  [3, beat(constantFrom(1, 2), subarray([1, 2]))],
  [18, record({ do: constant('pass'), ms: integer({ min: 1, max: 5 }).map((units) => units * UNIT) })],
];
const DAMAGE = record({ do: constant('damage'), what: constantFrom(...DAMAGES), who: holder });

/** Up to 200 moves; `withDamage` also such as no client makes. */
export function moves(withDamage: boolean): Arbitrary<Move[]> {
  const all = withDamage ? [...MOVES, [8, DAMAGE] as const] : MOVES;
  const one = oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return array(one, { maxLength: 200, size: 'max' });
}
