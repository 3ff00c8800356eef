import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { lockServiceToken } from '../contracts/tokens.js';
import type { LockService } from '../service/lock.service.js';
import type { CronMethod } from './cron.method.js';
import { watchCronJob } from './cron.source.js';
import { checkJobs } from './job.checker.js';
import { MountSource } from './mount.source.js';
import { TickFactory } from './tick.factory.js';
import { findScheduled } from './scheduled.finder.js';
import { findSchedulers, type OrchestratorLike, type RegistryLike } from './scheduler.finder.js';
import { TimerSource } from './timer.source.js';

/**
 * Finds the guarded methods that have a schedule, and marks what their schedules fire. In `onModuleInit`, because the
 * scheduler reads its methods there and sets its timers in the hook after it.
 */
export class TickExplorer implements OnModuleInit, BeforeApplicationShutdown {
  readonly #ticks: TickFactory;

  /** @param token of the module instance whose guards these are */
  constructor(
    private readonly locks: LockService,
    private readonly token: symbol,
    private readonly modules: ModulesContainer,
  ) {
    this.#ticks = new TickFactory(locks);
  }

  /** The guarded `@Cron` methods that were found. */
  get crons(): readonly CronMethod[] {
    return this.#ticks.crons;
  }

  /** @throws LockConfigurationError for jobs that would not do what they say */
  onModuleInit(): void {
    const methods = findScheduled(
      this.modules,
      ({ options }) => lockServiceToken(options.service) === this.token,
    );
    if (methods.length === 0) return;
    checkJobs(methods);
    for (const method of methods) this.#ticks.make(method);
    const { registries, orchestrators } = findSchedulers(this.modules);
    for (const registry of registries) this.#watchJobs(registry);
    for (const orchestrator of orchestrators) this.#watchTimers(orchestrator);
  }

  /** From here on no tick is begun, and none is waited for. */
  beforeApplicationShutdown(): void {
    this.locks.refuseTicks();
    this.#ticks.close();
  }

  #watchJobs(registry: RegistryLike): void {
    const add = registry.addCronJob;
    registry.addCronJob = (name, job) => {
      Reflect.apply(add, registry, [name, job]);
      watchCronJob(name, job, this.#ticks.crons);
    };
  }

  #watchTimers(orchestrator: OrchestratorLike): void {
    const timers = new TimerSource(this.#ticks.timers);
    const crons = new MountSource(this.#ticks.crons);
    const start = orchestrator.onApplicationBootstrap;
    orchestrator.onApplicationBootstrap = () =>
      timers.watch(() => crons.watch((): unknown => Reflect.apply(start, orchestrator, [])));
  }
}
