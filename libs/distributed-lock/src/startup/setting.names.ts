import type {
  HandOverBounds,
  LockModuleSettings,
  RedLockTimes,
  ReplicaAcknowledgement,
  WaitTimes,
} from '../contracts/module.options.js';
import { checkOptionNames, optionNames, type OptionNames } from '../options/option.names.js';

/** The names of {@link LockModuleSettings}, for the tables of the modules that add their own. */
export const SETTINGS: Readonly<Record<keyof LockModuleSettings, true>> = {
  lockWatchdogTimeout: true,
  fairLockWaitTimeout: true,
  waitTime: true,
  namePrefix: true,
  nameMapper: true,
  appName: true,
  maxHold: true,
  warnAfter: true,
  maxWaiters: true,
  handOver: true,
  pubsub: true,
  commandTimeout: true,
  replication: true,
  serverCheck: true,
  shutdownTimeout: true,
  busyStatus: true,
  retryAfter: true,
};

/** The names of {@link SETTINGS}, with the times of red locks. */
export const SETTING_NAMES = optionNames<LockModuleSettings & { readonly redLock: unknown }>({
  ...SETTINGS,
  redLock: true,
});

const MODULE = 'of the module';

const WAIT_TIMES = optionNames<WaitTimes>({
  lock: true,
  tryLock: true,
  using: true,
  decorator: true,
  interceptor: true,
});

const HAND_OVER = optionNames<HandOverBounds>({ max: true, time: true });

const REPLICATION = optionNames<ReplicaAcknowledgement>({ acks: true, timeout: true });

/** The servers stand beside the times: the module reads them. */
const RED_LOCK = optionNames<RedLockTimes & { readonly servers: unknown }>({
  restartDelay: true,
  servers: true,
});

/**
 * Checks the names of the module's options, and of the groups in them that are objects.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkSettingNames(options: object, known: OptionNames): void {
  checkOptionNames(options, known, MODULE);
  const groups: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, names] of GROUPS) {
    const group = groups[name];
    if (typeof group === 'object' && group !== null) checkOptionNames(group, names, `in ${name} ${MODULE}`);
  }
}

const GROUPS = [
  ['waitTime', WAIT_TIMES],
  ['handOver', HAND_OVER],
  ['replication', REPLICATION],
  ['redLock', RED_LOCK],
] as const satisfies readonly (readonly [keyof LockModuleSettings | 'redLock', OptionNames])[];
