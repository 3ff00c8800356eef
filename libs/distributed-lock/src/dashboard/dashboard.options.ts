import type { CanActivate, DynamicModule, FactoryProvider, Type } from '@nestjs/common';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, invalidOption, optionNames, readOptions } from '../options/option.checks.js';
import type { DashboardAction } from '../dashboard-feeds/dashboard.model.js';

/** The part of a request that the dashboard reads. Guards get the same object: the request of Express or Fastify. */
export interface DashboardRequest {
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a guard or a middleware has put there. */
  readonly user?: unknown;
  /** The address of the client. */
  readonly ip?: string | undefined;
}

/** Options of the dashboard that a factory may return. */
export interface DashboardOptions {
  /**
   * Decides about each action: pause, resume, run now, forget, unlock. If it returns `false`, the response is 403; if
   * it throws an `HttpException` of Nest, that exception is the response.
   * @default each action is allowed if the dashboard is not read-only
   */
  allow?(request: DashboardRequest, action: DashboardAction): boolean | Promise<boolean>;
  /**
   * Whether all actions are refused.
   * @default `true`, unless `guards` or `allow` is given
   */
  readonly readOnly?: boolean | undefined;
  /** The title of the page. @default 'Jobs and locks' */
  readonly title?: string | undefined;
  /**
   * Returns the name of the operator. It stands in the log, in the event `operatorAction`, and in the record of the
   * job, so that the page and the command line can show who paused or resumed the job, or requested a run. Up to 200
   * characters are kept. Without a name the record has `(dashboard of <host>:<pid>)`.
   * @default the `username`, `email`, `name`, `sub` or `id` of `request.user`; without one, the address of the client
   */
  userOf?(request: DashboardRequest): string | undefined;
}

/** Where the dashboard is mounted, and for which module instance. */
export interface DashboardMount {
  /** The path of the page, below the global prefix. @default 'locks' */
  readonly path?: string | undefined;
  /**
   * Guards of all routes of the dashboard, as for `@UseGuards()`. Without guards everyone who reaches the route can
   * read the page. @default none
   */
  readonly guards?: readonly (CanActivate | Type<CanActivate>)[] | undefined;
  /** The `name` of the module instance that is shown. @default the unnamed instance */
  readonly service?: string | undefined;
  /** Modules that export what the guards, or the factory, inject. @default none */
  readonly imports?: DynamicModule['imports'];
}

/** Options of `DistributedLockDashboardModule.forRoot()`. */
export interface DashboardModuleOptions extends DashboardOptions, DashboardMount {}

/** Options of `DistributedLockDashboardModule.forRootAsync()`. */
export interface DashboardAsyncOptions extends DashboardMount {
  /** The tokens of the providers that are passed to the factory. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options. */
  readonly useFactory: FactoryProvider<DashboardOptions>['useFactory'];
}

const MOUNT = { path: true, guards: true, service: true, imports: true } as const;
const OWN = { allow: true, readOnly: true, title: true, userOf: true } as const;

const OF_MODULE = optionNames<DashboardModuleOptions>({ ...MOUNT, ...OWN });
const OF_ASYNC = optionNames<DashboardAsyncOptions>({ ...MOUNT, inject: true, useFactory: true });
const OF_FACTORY = optionNames<DashboardOptions>(OWN);

/** The options in force. */
export interface DashboardSettings {
  readonly allow: NonNullable<DashboardOptions['allow']>;
  readonly isReadOnly: boolean;
  readonly title: string;
  readonly userOf: NonNullable<DashboardOptions['userOf']>;
}

/** @throws LockConfigurationError `INVALID_OPTION` */
export function readModuleOptions(options: DashboardModuleOptions): DashboardModuleOptions {
  const own = readOptions(options, {
    known: OF_MODULE,
    where: 'of DistributedLockDashboardModule.forRoot()',
  });
  checkMount(own);
  return own;
}

/** @throws LockConfigurationError `INVALID_OPTION` */
export function checkAsyncOptions(options: DashboardAsyncOptions): void {
  checkOptionNames(options, OF_ASYNC, 'of DistributedLockDashboardModule.forRootAsync()');
  checkMount(options);
  if (typeof options.useFactory !== 'function')
    throw new LockConfigurationError(
      'INVALID_OPTION',
      'DistributedLockDashboardModule.forRootAsync() needs useFactory.',
    );
}

function checkMount({ path, guards }: DashboardMount): void {
  const given: Readonly<Record<string, unknown>> = { path, guards };
  if (given.path !== undefined && (typeof given.path !== 'string' || /[?#:*\s]/.test(given.path)))
    throw invalidOption(
      `path of the dashboard must be a path without parameters, such as 'admin/locks', not ${JSON.stringify(given.path)}.`,
    );
  if (given.guards !== undefined && !Array.isArray(given.guards))
    throw invalidOption('guards of the dashboard must be an array of guards.');
}

/**
 * Reads the options, also those that a factory has returned.
 * @param isGuarded whether guards stand before the routes
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readDashboardOptions(given: DashboardOptions, isGuarded: boolean): DashboardSettings {
  for (const name of Object.keys(MOUNT))
    if (name in Object(given))
      throw invalidOption(
        `${name} belongs next to useFactory in DistributedLockDashboardModule.forRootAsync(), not in the result of the factory.`,
      );
  const options = readOptions(given, { known: OF_FACTORY, where: 'of the dashboard' });
  const { allow, readOnly, title = 'Jobs and locks', userOf } = options;
  const values: Readonly<Record<string, unknown>> = { allow, readOnly, title, userOf };
  for (const name of ['allow', 'userOf'])
    if (values[name] !== undefined && typeof values[name] !== 'function')
      throw invalidOption(`${name} of the dashboard must be a function.`);
  if (values.readOnly !== undefined && typeof values.readOnly !== 'boolean')
    throw invalidOption(`readOnly of the dashboard must be true or false, not ${String(values.readOnly)}.`);
  if (typeof values.title !== 'string' || title === '')
    throw invalidOption('title of the dashboard must be a text that is not empty.');
  return {
    // Called as methods, so that an object of options may use its own members.
    allow: allow === undefined ? () => true : (request, action) => allow.call(options, request, action),
    isReadOnly: readOnly ?? (allow === undefined && !isGuarded),
    title,
    userOf: userOf === undefined ? nameOfUser : (request) => userOf.call(options, request),
  };
}

function nameOfUser({ user, ip }: DashboardRequest): string | undefined {
  if (typeof user === 'string') return user;
  if (typeof user !== 'object' || user === null) return ip;
  // A record of an ORM has accessors, which a copy would lose.
  for (const name of ['username', 'email', 'name', 'sub', 'id']) {
    const value: unknown = Reflect.get(user, name);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return ip;
}
