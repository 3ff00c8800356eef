import type { ModulesContainer } from '@nestjs/core';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { CronJobLike } from './cron.job.port.js';

/** What is used of @nestjs/schedule's `SchedulerRegistry`; the peer is optional, and found instead of imported. */
export interface RegistryLike {
  addCronJob(name: string, job: CronJobLike): void;
}

/** What is used of its `SchedulerOrchestrator`: the hook in which it sets its timers. */
export interface OrchestratorLike {
  onApplicationBootstrap(): unknown;
}

export interface Schedulers {
  readonly registries: readonly RegistryLike[];
  readonly orchestrators: readonly OrchestratorLike[];
}

/** By their functions, since a bundler may rename classes, and an application may have an `addCronJob` of its own. */
const REGISTRY = ['addCronJob', 'getCronJobs', 'deleteCronJob', 'getIntervals', 'getTimeouts'];
const ORCHESTRATOR = ['mountCron', 'mountIntervals', 'mountTimeouts', 'onApplicationBootstrap'];

/**
 * The schedulers of an application; none when it has no ScheduleModule, and its scheduled methods never fire.
 * @throws LockConfigurationError `UNKNOWN_SCHEDULER` when there is one that cannot be followed
 */
export function findSchedulers(modules: ModulesContainer): Schedulers {
  const instances = new Set<unknown>();
  for (const { providers } of modules.values()) {
    for (const { instance } of providers.values()) instances.add(instance);
  }
  const registries = [...instances].filter(isRegistry);
  const orchestrators = [...instances].filter(isOrchestrator);
  if ((registries.length === 0) !== (orchestrators.length === 0)) {
    throw new LockConfigurationError(
      'UNKNOWN_SCHEDULER',
      '@DistributedLock cannot tell the ticks of this @nestjs/schedule from direct calls.',
    );
  }
  return { registries, orchestrators };
}

function isRegistry(instance: unknown): instance is RegistryLike {
  return hasFunctions(instance, REGISTRY);
}

function isOrchestrator(instance: unknown): instance is OrchestratorLike {
  return hasFunctions(instance, ORCHESTRATOR);
}

function hasFunctions(instance: unknown, names: readonly string[]): boolean {
  if (typeof instance !== 'object' || instance === null) return false;
  return names.every((name) => typeof Reflect.get(instance, name) === 'function');
}
