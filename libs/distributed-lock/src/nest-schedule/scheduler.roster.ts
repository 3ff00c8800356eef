import { isObject } from '../objects/prototype.chain.js';
import { MOUNT_LISTS, type ExplorerLike, type MountEntry, type MountList } from './scheduler.finder.js';

/** A method that a scheduler will fire. */
export interface MountedMethod {
  readonly list: MountList;
  /** The name of its timer in the reading; the scheduler itself draws another one where the decorator gives none. */
  readonly name: string;
  readonly instance: object;
  readonly methodKey: string;
  /** The function that it calls. */
  readonly method: object;
  readonly entry: MountEntry;
}

/** Notes functions that the scheduler has wrapped in one of its own. */
type Wrapped = Pick<MountedMethod, 'instance' | 'method' | 'methodKey'>;

/**
 * The methods that a scheduler will fire, as its own explorer finds them. The explorer reads once more, into lists of ours, since its first
 * reading may have been too early to follow; so functions that it finds on instances (bound functions, Proxies) are found here, and nothing
 * else is touched.
 */
export function readRoster(explorer: ExplorerLike): MountedMethod[] {
  const lists: Record<MountList, Record<string, MountEntry>> = { cronJobs: {}, intervals: {}, timeouts: {} };
  const wrapped = new Map<unknown, Wrapped>();
  let methodKey = '';
  const copy = copyOf(explorer);
  const { lookupSchedulers } = copy;
  const reader: ExplorerLike = Object.defineProperties(copy, {
    schedulerOrchestrator: { value: withLists(explorer.schedulerOrchestrator, lists) },
    lookupSchedulers: {
      value: (instance: object, key: string) => {
        methodKey = key;
        return lookupSchedulers.call(reader, instance, key);
      },
    },
    wrapFunctionInTryCatchBlocks: {
      value: (method: object, instance: object) => {
        const target = () => undefined;
        wrapped.set(target, { method, instance, methodKey });
        return target;
      },
    },
    // The scheduler has warned, or will.
    warnForNonStaticProviders: { value: () => undefined },
  });
  reader.explore();
  return MOUNT_LISTS.flatMap((list) =>
    Object.entries(lists[list]).flatMap(([name, entry]) => {
      const found = wrapped.get(entry.target);
      return found === undefined || !isObject(found.instance) ? [] : [{ list, name, entry, ...found }];
    }),
  );
}

/** An orchestrator like that one, with lists of its own. */
function withLists(orchestrator: object, lists: Record<MountList, Record<string, MountEntry>>): object {
  return Object.defineProperties(
    copyOf(orchestrator),
    Object.fromEntries(MOUNT_LISTS.map((list) => [list, { value: lists[list] }])),
  );
}

/**
 * An object with the fields and the class of a part of the scheduler. Not one below it: instrumentation such as that of @nestjs/observe puts
 * a Proxy in its place, whose methods run on the object behind it, whatever they are called on.
 */
function copyOf<T extends object>(part: T): T {
  const fields = Object.entries(Object.getOwnPropertyDescriptors(part)).map(([name, descriptor]) => [
    name,
    { ...descriptor, configurable: true },
  ]);
  return Object.create(Reflect.getPrototypeOf(part), Object.fromEntries(fields));
}

/**
 * The entries of the scheduler's own lists that stand for those methods: by name where the decorator gives one, else in the order of its
 * reading, by the decorator's metadata.
 */
export function entriesOf(
  { schedulerOrchestrator: orchestrator }: ExplorerLike,
  methods: readonly MountedMethod[],
): Map<MountedMethod, { readonly name: string; readonly entry: MountEntry }> {
  const found = new Map<MountedMethod, { readonly name: string; readonly entry: MountEntry }>();
  for (const list of MOUNT_LISTS) {
    const own = methods.filter((mounted) => mounted.list === list);
    const left = new Map(Object.entries(orchestrator[list]));
    for (const mounted of own) {
      const entry = left.get(mounted.name);
      if (entry === undefined) continue;
      found.set(mounted, { name: mounted.name, entry });
      left.delete(mounted.name);
    }
    for (const mounted of own) {
      if (found.has(mounted)) continue;
      const match = [...left].find(([, entry]) => isSame(entry, mounted.entry));
      if (match === undefined) continue;
      const [name, entry] = match;
      found.set(mounted, { name, entry });
      left.delete(name);
    }
  }
  return found;
}

const ORIGINAL = Symbol('original options');

/** Notes whose copy some options are, so that an entry is still found by them. */
export function noteOriginal<T extends object>(copy: T, original: object | undefined): T {
  return Object.defineProperty(copy, ORIGINAL, { value: originalOf(original) });
}

function originalOf(options: object | undefined): object | undefined {
  const original: unknown = options === undefined ? undefined : Reflect.get(options, ORIGINAL);
  return typeof original === 'object' && original !== null ? original : options;
}

function isSame(one: MountEntry, other: MountEntry): boolean {
  return originalOf(one.options) === originalOf(other.options) && Object.is(one.timeout, other.timeout);
}
