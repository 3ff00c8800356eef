import {
  array,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  type Arbitrary,
  type WeightedArbitrary,
} from 'fast-check';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import {
  forceRead,
  forceWrite,
  lookRead,
  lookWrite,
  read,
  renewRead,
  renewWrite,
  unread,
  unwrite,
  write,
  type Call,
  type RwNames,
} from '../protocol/read-write.calls.js';
import { JAVA, JAVA_RULES, type JavaVerb } from './read-write.java.js';
import type { ReadWriteModel } from './read-write.model.js';
import { outcome, type Outcome } from './read-write.state.js';

/** All durations are multiples of half of it: so long that the ms which really pass are lost in rounding. */
export const UNIT = 1_000_000;

/** Holders by the names that steps have for them. J2 is a transaction, whose id could be taken for that of a writer. */
const IDS: Readonly<Record<string, string>> = {
  N1: '6e38a1f0-0000-4000-8000-000000000001:1',
  N2: '6e38a1f0-0000-4000-8000-000000000001:11',
  N3: '6e38a1f0-0000-4000-8000-000000000002:1',
  N4: '6e38a1f0-0000-4000-8000-000000000002:2',
  N5: '6e38a1f0-0000-4000-8000-000000000003:1',
  J1: '6e38a1f0-0000-4000-8000-000000000004:7',
  J2: '6e38a1f0-0000-4000-8000-000000000005:7:write',
};

/** One step, as a counterexample shows it; durations in units. */
export interface Step {
  readonly does: string;
  /** A name of {@link IDS}, or whoever of the same language reads or writes by then. */
  readonly by?: string;
  readonly lease?: number;
  /** `more` and `less`: than the holder has by then. */
  readonly count?: number | 'more' | 'less';
  readonly sleep?: number;
}

/** What a rule knows of a step; durations in ms. */
export interface Operation {
  readonly by: string;
  readonly lease: number;
  readonly count: number;
  readonly sleep: number;
}

/** What a step comes to in the state that it meets: without such steps the holders hardly ever meet themselves again. */
export function operationOf(step: Step, { state: { hash } }: ReadWriteModel): Operation {
  const { does, by: name = '', lease = 0, count = 0, sleep = 0 } = step;
  const family = does.startsWith('java') ? 'J' : 'N';
  const holders = name === 'writer' ? [hash?.writer?.holder] : [...(hash?.reads.keys() ?? [])];
  const present = Object.keys(IDS).find((id) => id.startsWith(family) && holders.includes(IDS[id]));
  const by = IDS[name] ?? IDS[present ?? `${family}1`] ?? name;
  const writes = hash?.writer?.holder === by ? hash.writer.count : 0;
  const has = does.includes('write') ? writes : (hash?.reads.get(by) ?? 0);
  const relative = count === 'more' ? Math.min(has + 1, 4) : Math.max(has - 1, 0);
  return {
    by,
    lease: lease * UNIT,
    count: typeof count === 'number' ? count : relative,
    sleep: sleep * UNIT,
  };
}

/** A kind of step: how it is sent, and what it is to do. */
export interface Rule {
  readonly call: (operation: Operation) => Call | JavaCall;
  readonly expect: (model: ReadWriteModel, operation: Operation) => Outcome;
  /** Whether it may be sent again at once, and then changes nothing. */
  readonly isRepeatable: boolean;
}

/** A script of the test's own, on the lock. */
export interface JavaCall {
  readonly script: string;
  readonly args: (names: RwNames) => readonly (string | number)[];
}

const node = (call: (operation: Operation) => Call, expect: Rule['expect'], isRepeatable = true): Rule => ({
  call,
  expect,
  isRepeatable,
});

const java = (verb: JavaVerb): Rule => ({
  call: ({ by, lease }) => ({
    script: JAVA[verb],
    args: ({ lock, channel }) => [by, channel, suffixName(lock, '').slice(0, -1), lease],
  }),
  expect: (model, { by, lease }) => JAVA_RULES[verb](model, by, lease),
  isRepeatable: false,
});

/** Every kind of step but the passing of time. */
// prettier-ignore
export const RULES: Readonly<Record<string, Rule>> = {
  read: node(({ by, lease, count }) => read(by, lease, count), (model, { by, lease, count }) => model.read(by, lease, count)),
  unread: node(({ by, count, lease }) => unread(by, count, lease), (model, { by, count, lease }) => model.unread(by, count, lease)),
  'unread inside a write': node(({ by, count, lease }) => unread(by, count, lease, lease), (model, { by, count, lease }) => model.unread(by, count, lease, lease)),
  'renew read': node(({ by, lease }) => renewRead(by, lease), (model, { by, lease }) => model.renewRead(by, lease)),
  'look read': node(({ by }) => lookRead(by), (model, { by }) => model.lookRead(by)),
  'force read': node(() => forceRead(), (model) => model.force('read'), false),
  write: node(({ by, lease, count, sleep }) => write(by, lease, count, sleep), (model, { by, lease, count, sleep }) => model.write(by, lease, count, sleep)),
  unwrite: node(({ by, count, lease }) => unwrite(by, count, lease), (model, { by, count, lease }) => model.unwrite(by, count, lease)),
  'renew write': node(({ by, lease }) => renewWrite(by, lease), (model, { by, lease }) => model.renewWrite(by, lease)),
  'look write': node(({ by }) => lookWrite(by), (model, { by }) => model.lookWrite(by)),
  'force write': node(() => forceWrite(), (model) => model.force('write'), false),
  'java read': java('read'),
  'java unread': java('unread'),
  'java renew read': java('renewRead'),
  'java force read': java('forceRead'),
  'java write': java('write'),
  'java unwrite': java('unwrite'),
  'java renew write': java('renewWrite'),
  'java force write': java('forceWrite'),
  /** Somebody's hand, or a script that failed midway. */
  persist: {
    call: () => ({ script: `redis.call('PERSIST', KEYS[1])`, args: () => [] }),
    expect: ({ state: { hash } }) => {
      if (hash !== undefined) hash.ttl = -1;
      return outcome(null);
    },
    isRepeatable: false,
  },
};

/** Who takes part, and in what. */
export interface Fleet {
  readonly node: readonly string[];
  readonly java: readonly string[];
  /** Whether Java does what the library must not (D17, holds that a forced unlock leaves), and a hash may lose its ttl. */
  readonly isRough: boolean;
}

const LONGEST = 6;
/** Short and long ones side by side, so that holds of one lock end apart. */
const lease = constantFrom(1, 1, 1, 2, LONGEST, LONGEST);
const renewal = integer({ min: 0, max: LONGEST });
const some = integer({ min: 1, max: 3 });
const reached = oneof(constant(1), constant(1), some, constant('more'), constant('more'));
const left = oneof(constant(0), some, constant('less'));
const sleep = constantFrom(0, 0, 1, 3);
/** Odd halves: what has time left after a step has at least half a unit, or none. */
const time = constantFrom(0.5, 0.5, 1.5, 1.5, 1.5, 4.5);

type Parts = Readonly<Record<string, Arbitrary<unknown>>>;

function kind(weight: number, does: string, parts: Parts = {}): WeightedArbitrary<Step> {
  return { weight, arbitrary: record({ does: constant(does), ...parts }) };
}

/** Anybody of a language, or who has the lock. */
const anyOf = (names: readonly string[]): Arbitrary<string> =>
  oneof(
    { weight: 2, arbitrary: constantFrom(...names) },
    { weight: 3, arbitrary: constantFrom('reader', 'writer', 'writer') },
  );

/** What chance brings about too seldom: a writer whose read hold has run out. */
const SCENE: readonly Step[] = [
  { does: 'write', by: 'writer', lease: LONGEST, count: 'more' },
  { does: 'read', by: 'writer', lease: 1, count: 'more' },
  { does: 'pass', lease: 1.5 },
];

/** What a fleet does, of any length. */
export function sequencesOf(fleet: Fleet): Arbitrary<Step[]> {
  const part = oneof(
    { weight: 60, arbitrary: stepsOf(fleet).map((step) => [step]) },
    { weight: 1, arbitrary: constant(SCENE) },
  );
  return array(part, { maxLength: 80, size: 'max' }).map((parts) => parts.flat());
}

function stepsOf(fleet: Fleet): Arbitrary<Step> {
  const by = anyOf(fleet.node);
  const own = [
    kind(24, 'read', { by, lease, count: reached }),
    kind(10, 'unread', { by, lease, count: left }),
    kind(6, 'unread inside a write', { by, lease, count: left }),
    kind(20, 'write', { by, lease, count: reached, sleep }),
    kind(14, 'unwrite', { by, lease, count: left }),
    kind(8, 'renew read', { by, lease: renewal }),
    kind(4, 'renew write', { by, lease: renewal }),
    kind(2, 'look read', { by }),
    kind(2, 'look write', { by }),
    kind(1, 'force read'),
    kind(1, 'force write'),
    kind(10, 'pass', { lease: time }),
  ];
  if (fleet.java.length === 0) return oneof(...own);
  const from = anyOf(fleet.java);
  const foreign = [
    kind(10, 'java read', { by: from, lease }),
    kind(8, 'java unread', { by: from, lease }),
    kind(8, 'java write', { by: from, lease }),
    // The longest lease of all breaks nothing.
    kind(6, 'java unwrite', { by: from, lease: fleet.isRough ? lease : constant(LONGEST) }),
  ];
  const rough = [
    kind(5, 'java renew read', { by: from, lease }),
    kind(3, 'java renew write', { by: from, lease }),
    kind(1, 'java force read'),
    kind(1, 'java force write'),
    kind(2, 'persist'),
  ];
  return oneof(...own, ...foreign, ...(fleet.isRough ? rough : []));
}
