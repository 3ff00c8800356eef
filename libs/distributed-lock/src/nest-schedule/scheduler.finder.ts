import { types } from 'node:util';
import type { ModulesContainer } from '@nestjs/core';
import { isObject } from '../objects/prototype.chain.js';
import type { ProviderWrapper } from '../metadata/provider.prototype.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { CronJobLike } from '../instants/cron.job.port.js';

/** An entry that the explorer hands to the orchestrator, which makes a timer of it. */
export interface MountEntry {
  /** The callback of the timer. */
  target: (...args: unknown[]) => unknown;
  /** Of a cron job: the metadata of its decorator, the same object. */
  options?: object;
  /** Of an interval or a timeout, in ms. */
  readonly timeout?: unknown;
  /** The cron job, or what setInterval or setTimeout gave; undefined until it is mounted. */
  readonly ref?: unknown;
}

/** The lists of an orchestrator, by the names of its timers. */
export const MOUNT_LISTS = ['cronJobs', 'intervals', 'timeouts'] as const;
export type MountList = (typeof MOUNT_LISTS)[number];

/** The used part of @nestjs/schedule's `SchedulerRegistry`; the peer is optional, and found instead of imported. */
export interface RegistryLike {
  addCronJob(name: string, job: CronJobLike): void;
  getCronJobs(): ReadonlyMap<string, CronJobLike>;
  doesExist(type: 'interval' | 'timeout', name: string): boolean;
  getInterval(name: string): unknown;
  getTimeout(name: string): unknown;
}

/** The used part of its `SchedulerOrchestrator`: the hook in which it sets its timers, and the entries of those timers. */
export type OrchestratorLike = Readonly<Record<MountList, Record<string, MountEntry>>> & {
  onApplicationBootstrap(): unknown;
  readonly schedulerRegistry: RegistryLike;
};

/** The used part of its `ScheduleExplorer`: how it reads the application. */
export interface ExplorerLike {
  readonly schedulerOrchestrator: OrchestratorLike;
  readonly moduleOptions: Readonly<Partial<Record<MountList, unknown>>>;
  explore(): void;
  lookupSchedulers(instance: object, key: string): unknown;
}

/** By their functions, since a bundler may rename classes, and an application may have an `addCronJob` of its own. */
const REGISTRY = ['addCronJob', 'getCronJobs', 'deleteCronJob', 'getIntervals', 'getTimeouts'];
const EXPLORER = [
  'explore',
  'lookupSchedulers',
  'warnForNonStaticProviders',
  'wrapFunctionInTryCatchBlocks',
] as const;
const REGISTRY_USED = ['addCronJob', 'getCronJobs', 'doesExist', 'getInterval', 'getTimeout'];

/**
 * The schedulers of an application; none when it has no ScheduleModule, and its scheduled methods never fire. Checks the classes of
 * providers; only an object whose class is @nestjs/schedule's own is read.
 * @throws LockConfigurationError `UNKNOWN_SCHEDULER` for one that cannot be followed
 */
export function findSchedulers(modules: ModulesContainer): ExplorerLike[] {
  const explorers = new Set<object>();
  let hasRegistry = false;
  for (const { providers } of modules.values()) {
    for (const wrapper of providers.values()) {
      if (isOfClass(wrapper, EXPLORER) && isObject(wrapper.instance)) explorers.add(wrapper.instance);
      hasRegistry ||= isOfClass(wrapper, REGISTRY) || isValueWith(wrapper, REGISTRY);
    }
  }
  const known = [...explorers].filter(isExplorer);
  if (known.length === explorers.size && (known.length > 0 || !hasRegistry)) return known;
  throw new LockConfigurationError(
    'UNKNOWN_SCHEDULER',
    '@DistributedLock cannot distinguish the ticks of this version of @nestjs/schedule from direct calls.',
  );
}

function isOfClass({ metatype, isNotMetatype }: ProviderWrapper, names: readonly string[]): boolean {
  if (isNotMetatype || typeof metatype !== 'function') return false;
  const { prototype }: { readonly prototype: unknown } = metatype;
  return (
    isObject(prototype) && !types.isProxy(prototype) && names.every((name) => hasMethod(prototype, name))
  );
}

/** A value in the registry's place. Its properties are not read. */
function isValueWith({ instance, isNotMetatype }: ProviderWrapper, names: readonly string[]): boolean {
  return (
    isNotMetatype &&
    isObject(instance) &&
    !types.isProxy(instance) &&
    names.every((name) => Object.hasOwn(instance, name))
  );
}

function hasMethod(prototype: object, name: string): boolean {
  const descriptor = Reflect.getOwnPropertyDescriptor(prototype, name);
  return typeof descriptor?.value === 'function';
}

function isExplorer(explorer: object): explorer is ExplorerLike {
  const { schedulerOrchestrator: orchestrator, moduleOptions }: Partial<ExplorerLike> = explorer;
  if (!isObject(orchestrator) || !isObject(moduleOptions)) return false;
  const { onApplicationBootstrap, schedulerRegistry: registry } = orchestrator;
  return (
    typeof onApplicationBootstrap === 'function' &&
    MOUNT_LISTS.every((list) => isObject(orchestrator[list])) &&
    isObject(registry) &&
    REGISTRY_USED.every((name) => typeof Reflect.get(registry, name) === 'function')
  );
}
