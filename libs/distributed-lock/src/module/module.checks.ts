import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { lockServiceToken } from '../contracts/tokens.js';
import {
  checkOptionNames,
  invalidOption,
  optionNames,
  readOptions,
  type OptionNames,
} from '../options/option.checks.js';
import { readSource, type RedisSource } from '../redis-source/redis-source.reader.js';
import type {
  DistributedLockModuleExtras,
  DistributedLockModuleOptions,
} from './distributed-lock.module-definition.js';

type AsyncOptions = Omit<ConfigurableModuleAsyncOptions<object>, 'useClass' | 'useExisting'> & {
  readonly useClass?: unknown;
  readonly useExisting?: unknown;
} & DistributedLockModuleExtras;

const EXTRAS = optionNames<DistributedLockModuleExtras>({ isGlobal: true, name: true, refusalFilter: true });

const ASYNC = optionNames<AsyncOptions>({
  imports: true,
  inject: true,
  useFactory: true,
  useClass: true,
  useExisting: true,
  provideInjectionTokensFrom: true,
  isGlobal: true,
  name: true,
  refusalFilter: true,
});

/**
 * Checks what stands beside each other in `forRoot()`: the options, and what shapes the module.
 * @param module for messages
 * @param read the names whose values are used. @default those that are known
 * @returns the options as an object of their own, because Nest takes the enumerable properties of an object only
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readForRoot<T extends DistributedLockModuleExtras>(
  module: string,
  options: T,
  known: OptionNames,
  read = known,
): T {
  const own = readOptions(options, {
    known: new Set([...known, ...EXTRAS]),
    read: new Set([...read, ...EXTRAS]),
    where: `of ${module}.forRoot()`,
  });
  checkExtras(module, own);
  return own;
}

/** Checks what `forRootAsync()` takes beside the factory. @throws LockConfigurationError `INVALID_OPTION` */
export function checkForRootAsync(module: string, options: AsyncOptions): void {
  const where = `of ${module}.forRootAsync()`;
  checkOptionNames(options, ASYNC, where);
  const { useFactory, useClass, useExisting } = options;
  if (useFactory === undefined && useClass === undefined && useExisting === undefined)
    throw invalidOption(`The options ${where} must have useFactory, useClass or useExisting.`);
  checkExtras(module, options);
}

/**
 * Refuses, from a factory, what only counts beside it: Nest asks the factory after the module has its shape.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkMade(module: string, options: unknown): void {
  if (typeof options !== 'object' || options === null) return;
  for (const name of EXTRAS) {
    if (name in options)
      throw invalidOption(
        `${name} belongs next to useFactory in ${module}.forRootAsync(), not in the result of the factory.`,
      );
  }
}

function checkExtras(module: string, { isGlobal, refusalFilter, name }: DistributedLockModuleExtras): void {
  for (const [option, value] of Object.entries({ isGlobal, refusalFilter })) {
    const given: unknown = value;
    if (given !== undefined && typeof given !== 'boolean')
      throw invalidOption(`${option} of ${module} must be true or false, not ${String(given)}.`);
  }
  const given: unknown = name;
  if (given !== undefined && (typeof given !== 'string' || given === ''))
    throw invalidOption(`The name of a ${module} must be a non-empty string.`);
}

/**
 * Refuses a second instance of one name in one application, before either is connected. Nest makes an
 * instance of each `forRoot()` call, and what one of them holds is unknown to the other: work that asks again
 * for its own lock would be refused.
 *
 * @param name undefined: the unnamed instance
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function refuseSecondInstance(modules: ModulesContainer, name: string | undefined): void {
  const token = lockServiceToken(name);
  const count = [...modules.values()].filter(({ providers }) => providers.has(token)).length;
  if (count < 2) return;
  const which = token === lockServiceToken() ? 'without a name' : `named "${name}"`;
  throw invalidOption(
    `DistributedLockModule ${which} is imported ${count} times, but a lock that one instance holds is unknown to the others.`,
    undefined,
    'Call forRoot() once, in the root module, or give each further instance a name of its own.',
  );
}

/**
 * Checks where Redis, and the servers of red locks, are said to be, before a client is made of it.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readSources({
  redis,
  redLock,
}: DistributedLockModuleOptions): [RedisSource, readonly RedisSource[]] {
  const servers: unknown = redLock === undefined ? [] : redLock.servers;
  if (!Array.isArray(servers)) throw invalidOption('redLock.servers must be an array.');
  return [
    readSource('redis', redis),
    servers.map((server: RedisSource, index) => readSource(`redLock.servers[${index}]`, server)),
  ];
}
