import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { lockServiceToken } from '../contracts/tokens.js';
import type { GuardEntry } from '../metadata/guard.registry.js';
import type { LockService } from '../service/lock.service.js';
import { bootHook } from '../startup/open.applications.js';
import type { CronMethod } from './cron.method.js';
import { checkGuards, checkMounted, checkJobs } from './schedule.checks.js';
import { JobMounter, type BoundMethod } from './job.mounter.js';
import { jobName } from './job.name.js';
import { scheduleOfEntry } from '../nest-schedule/schedule.metadata.js';
import { GuardFinder } from '../nest-schedule/guard.finder.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import { findSchedulers } from '../nest-schedule/scheduler.finder.js';
import { readRoster, type MountedMethod } from '../nest-schedule/scheduler.roster.js';
import { TickFactory } from './tick.factory.js';

/** A mounted that is guarded, before its ticks are made. */
interface GuardedMountedMethod {
  readonly mounted: MountedMethod;
  readonly method: ScheduledMethod;
  /** Whether the guard is the method's own, and not that of a method which it overrides. */
  readonly isOwn: boolean;
}

/**
 * Binds each guarded method that has a schedule to its live job of the scheduler, and marks what that job fires. In `onModuleInit`, because the
 * scheduler reads its methods there and sets its timers in the hook after it.
 */
export class TickExplorer implements OnModuleInit, BeforeApplicationShutdown {
  readonly #ticks: TickFactory;

  /** @param token of the module instance whose guards these are */
  constructor(
    readonly locks: LockService,
    private readonly token: symbol,
    private readonly modules: ModulesContainer,
  ) {
    this.#ticks = new TickFactory(locks);
  }

  /** The guarded `@Cron` methods that were found. */
  get crons(): readonly CronMethod[] {
    return this.#ticks.crons;
  }

  /** @throws LockConfigurationError for guards and jobs that would not do what their options describe */
  onModuleInit(): void | Promise<void> {
    return bootHook(this.modules, () => this.#explore());
  }

  #explore(): void {
    const isOurs = (guard: GuardEntry) => lockServiceToken(guard.options.service) === this.token;
    const { notices } = this.locks.engine.context;
    const finder = new GuardFinder(this.modules, isOurs);
    checkGuards(finder.methods);
    const scheduled = finder.methods.filter(({ schedule }) => schedule !== undefined);
    const explorers = findSchedulers(this.modules);
    if (explorers.length === 0) {
      const methods = [...new Set(scheduled.map(({ guard }) => guard.where))];
      if (methods.length > 0) notices.post({ kind: 'no-scheduler', methods });
      return;
    }
    const rosters = explorers.map((explorer) => {
      const roster = readRoster(explorer);
      return { explorer, roster, methods: guardedMethods(roster, finder) };
    });
    const methods = rosters.flatMap((roster) => roster.methods);
    checkJobs(methods.map(({ method }) => method));
    checkMounted(scheduled, methods, explorers);
    const bind = this.#binder();
    for (const { explorer, roster, methods: own } of rosters) {
      const dynamic = { methods: () => this.#ticks.methods, notices, isOurs };
      new JobMounter(explorer, roster, own.map(bind), dynamic).watch();
    }
  }

  /** From here on no tick is begun, and none is awaited. */
  beforeApplicationShutdown(): void {
    this.locks.refuseTicks();
    this.#ticks.close();
  }

  /** Makes the ticks of methods: once for each method of an instance, also where several timers stand for it. */
  #binder(): (mounted: GuardedMountedMethod) => BoundMethod {
    const made = new Map<object, Map<GuardEntry, BoundMethod['method']>>();
    return ({ mounted, method, isOwn }) => {
      const ofInstance = made.get(mounted.instance) ?? new Map<GuardEntry, BoundMethod['method']>();
      made.set(mounted.instance, ofInstance);
      const known = ofInstance.get(method.guard) ?? this.#ticks.make(method, !isOwn);
      ofInstance.set(method.guard, known);
      return { mounted: mounted, method: known };
    };
  }
}

function guardedMethods(methods: readonly MountedMethod[], finder: GuardFinder): GuardedMountedMethod[] {
  return methods.flatMap((mounted) => {
    const { instance, method, methodKey, list, entry } = mounted;
    const found = finder.guardAt(method, instance, methodKey);
    if (found === undefined) return [];
    const { guard, isOwn } = found;
    const { key, where, options } = guard;
    const schedule = scheduleOfEntry(list, entry);
    return [
      {
        mounted,
        isOwn,
        method: { instance, guard, method, where, job: jobName(key, where), options, schedule },
      },
    ];
  });
}
