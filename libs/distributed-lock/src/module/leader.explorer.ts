import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { readLeaderMethods } from '../metadata/leader.registry.js';
import { lockServiceToken } from '../contracts/tokens.js';
import type { LockService } from '../service/lock.service.js';
import { refuseBoot } from '../startup/open.applications.js';
import { findClasses } from './class.finder.js';

/** Has this instance stand for election for the key of every `@LeaderOnly`, once for each. */
export class LeaderExplorer implements OnApplicationBootstrap {
  constructor(
    private readonly locks: LockService,
    private readonly token: symbol,
    private readonly modules: ModulesContainer,
  ) {}

  /**
   * Before the first call there is to be a leader: the application starts when Redis has said whether it is
   * this instance.
   * @throws LockConfigurationError `INVALID_NAME`, `KIND_CONFLICT`
   */
  async onApplicationBootstrap(): Promise<void> {
    const keys = findClasses(this.modules)
      .flatMap(({ prototype }) => readLeaderMethods(prototype))
      .filter(({ options }) => lockServiceToken(options.service) === this.token)
      .map(({ key }) => key);
    const joined = [...new Set(keys)].map(async (key) => await this.locks.elections.join(key));
    await Promise.all(joined).catch((error: unknown) => refuseBoot(this.modules, error));
  }
}
