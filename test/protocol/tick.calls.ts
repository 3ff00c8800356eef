import {
  tickAgain,
  tickBegin,
  tickClaim,
  tickFinish,
  tickForget,
  tickInspect,
  tickPause,
  tickRegister,
  tickRequest,
  tickWithdraw,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { jobKeys } from '../../libs/distributed-lock/src/job-control/job.keys.js';
import type { Names, ProtocolStage } from './protocol.stage.js';

/** One row of a job's record, as JSON has it. */
export type Row = Readonly<Record<string, unknown>>;

export interface Claim {
  readonly holder?: string;
  readonly lease?: number | string;
  readonly mode?: string;
  readonly tick?: number | string;
  readonly following?: number | string;
  readonly previous?: number | string;
  readonly onCrash?: string;
  readonly overlap?: string;
  readonly grace?: number | string;
  /** The channel on which runs are announced. */
  readonly jobs?: string;
  readonly period?: number | string;
  readonly attempts?: number | string;
  readonly from?: number | string;
  readonly count?: number | string;
  readonly history?: number | string;
}

export interface Again {
  readonly holder?: string;
  readonly lease?: number | string;
  readonly gap?: number | '';
  readonly onCrash?: string;
  readonly grace?: number | string;
  readonly jobs?: string;
  readonly period?: number | string;
  readonly attempts?: number | string;
  readonly history?: number | string;
}

export interface Finish {
  readonly holder?: string;
  readonly token: string;
  readonly count?: number | string;
  readonly lease?: number | string;
  readonly outcome?: string;
  readonly reason?: string;
}

/** The holder that claims and finishes where a test does not name one. */
export const RUNNER = '6e38a1f0-0000-4000-8000-000000000001:7';
export const APP = 'billing';
export const INSTANCE = 'host:1:6e38a1f0';

const reply = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : [answer]);

/** How long a tick that was handed over waits under `skip` where a test does not say, in ms. */
export const GRACE = 86_400_000;

/** The channel of a job. */
export function jobChannel(names: Names): string {
  return jobKeys(names.lock).channel;
}

export async function claim(stage: ProtocolStage, names: Names, given: Claim): Promise<readonly unknown[]> {
  const { holder = RUNNER, lease = 10_000, mode = 'cron', tick = '', following = '', previous = '' } = given;
  const policies = [given.onCrash ?? 'skip', given.overlap ?? 'skip', given.grace ?? GRACE];
  const when = [mode, tick, following, previous];
  const { jobs = '', period = '', attempts = '', from = '', count = '', history = '' } = given;
  const others = [jobs, period, attempts, from, count, history];
  const args = ['PUBLISH', holder, lease, ...when, APP, INSTANCE, ...policies, ...others];
  return reply(await stage.call(tickClaim, names.tick, args));
}

export async function again(
  stage: ProtocolStage,
  names: Names,
  given: Again = {},
): Promise<readonly unknown[]> {
  const { holder = RUNNER, lease = 10_000, gap = '', onCrash = 'skip', grace = GRACE } = given;
  const { jobs = '', period = '', attempts = '', history = '' } = given;
  const others = [jobs, period, attempts, history];
  const args = ['PUBLISH', holder, lease, gap, APP, INSTANCE, onCrash, grace, ...others];
  return reply(await stage.call(tickAgain, names.tick, args));
}

/** Says that a run which was asked for has begun. */
export async function noteBegin(
  stage: ProtocolStage,
  names: Names,
  id: string,
  holder = RUNNER,
): Promise<readonly unknown[]> {
  return reply(await stage.call(tickBegin, [names.record], ['PUBLISH', jobChannel(names), holder, id]));
}

export async function finish(stage: ProtocolStage, names: Names, given: Finish): Promise<readonly unknown[]> {
  const { holder = RUNNER, token, count = 0, lease = 10_000, outcome = 'completed', reason = '' } = given;
  const channels = [names.channel, jobChannel(names)];
  const args = ['PUBLISH', holder, token, count, lease, ...channels, outcome, reason];
  return reply(await stage.call(tickFinish, names.tick, args));
}

export async function pause(stage: ProtocolStage, names: Names, verb = 'pause'): Promise<readonly unknown[]> {
  return reply(await stage.call(tickPause, names.tick, ['PUBLISH', jobChannel(names), verb, APP, INSTANCE]));
}

export async function request(
  stage: ProtocolStage,
  names: Names,
  id: string,
  patience: number | string = 10_000,
): Promise<readonly unknown[]> {
  const args = ['PUBLISH', jobChannel(names), id, patience, 'an operator'];
  return reply(await stage.call(tickRequest, [names.record], args));
}

export async function withdraw(stage: ProtocolStage, names: Names, id: string): Promise<readonly unknown[]> {
  return reply(await stage.call(tickWithdraw, [names.record], [id]));
}

export async function forget(stage: ProtocolStage, names: Names, force = ''): Promise<readonly unknown[]> {
  return reply(await stage.call(tickForget, names.tick, [force]));
}

/** What only some registrations have. */
interface Registration {
  readonly due?: number | string;
  readonly period?: number | string;
  readonly former?: string;
}

export async function register(
  stage: ProtocolStage,
  names: Names,
  tick: number | string,
  app = APP,
  schedule = '0 3 * * * UTC',
  { due = '', period = '', former = '' }: Registration = {},
): Promise<readonly unknown[]> {
  return reply(await stage.call(tickRegister, [names.record], [tick, app, schedule, due, period, former]));
}

export async function inspect(
  stage: ProtocolStage,
  names: Names,
  most: number | string = 50,
): Promise<readonly unknown[]> {
  return reply(await stage.call(tickInspect, names.tick, [most]));
}

/** The rows that nobody is at work on, the last one written first. */
export async function settledRows(stage: ProtocolStage, names: Names): Promise<Row[]> {
  return (await stage.redis.lrange(names.runs, 0, -1)).map((entry) => JSON.parse(entry) as Row);
}

/** All that the store has of a job but ttls: to see that nothing was written. */
export async function wholeState(
  stage: ProtocolStage,
  names: Names,
): Promise<Readonly<{ lock: unknown; record: Readonly<Record<string, string>>; runs: unknown }>> {
  const [lock, record, runs] = await Promise.all([
    stage.redis.hgetall(names.lock),
    stage.redis.hgetall(names.record),
    stage.redis.lrange(names.runs, 0, -1),
  ]);
  return { lock, record, runs };
}

/** Lets a run begin, and tells its token. */
export async function begin(stage: ProtocolStage, names: Names, given: Claim = {}): Promise<string> {
  const [code, , token] = await claim(stage, names, { mode: 'instant', tick: 1, ...given });
  if (code !== 1 || typeof token !== 'string') throw new Error(`the run did not begin: ${String(code)}`);
  return token;
}
