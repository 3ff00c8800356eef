import { randomUUID } from 'node:crypto';
import { urlOf } from '../redis-source/address.reader.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerPort, ServerSession } from '../connections/server.session.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { readFacts, type ServerFacts } from '../startup/server.facts.js';
import { judgeFacts, type Finding } from '../startup/server.findings.js';
import { judgeAcl } from '../doctor/acl.judge.js';
import { aclProbes } from '../doctor/acl.probes.js';
import type { CommandLine } from '../command-line/command.line.js';
import { checkCluster } from '../doctor/cluster.check.js';
import { checkLock } from './lock.check.js';
import { checkPersistence } from '../doctor/persistence.check.js';
import { checkClock, checkRoundTrip } from '../doctor/time.checks.js';

/** Random keys that are tried for one of a certain server. */
const MOST_TRIES = 1000;

/** The server that the doctor checks. */
export interface DoctorContext {
  readonly session: ServerSession;
  readonly wheel: TimerWheel;
  readonly line: CommandLine;
}

/** Runs all checks, in an order in which each check needs more of the server than the one before. Never rejects. */
export async function examine(context: DoctorContext): Promise<Finding[]> {
  const { session, wheel, line } = context;
  const findings: Finding[] = [];
  /** @returns whether the server still answers */
  const runCheck = async (check: string, work: () => Promise<readonly Finding[]>): Promise<boolean> => {
    try {
      findings.push(...(await work()));
      return true;
    } catch (error) {
      const failure = RedisFailure.from(error);
      findings.push(unanswered(check, failure));
      return failure.kind === 'refused';
    }
  };
  const server = session.serverOf(keyOf(context, 'any'));
  const factsByServer = new Map<string, ServerFacts>();
  const factsAt = ({ address }: ServerPort) => factsByServer.get(address) ?? readFacts('');
  /** Of every server. */
  const onEach = async (check: (one: ServerPort) => Promise<readonly Finding[]>): Promise<Finding[]> => {
    const each = session.servers.map(async (one) => ({ address: one.address, findings: await check(one) }));
    return worst(await Promise.all(each));
  };
  const checks: [string, () => Promise<readonly Finding[]>][] = [
    [
      'version',
      () =>
        onEach(async (one) => {
          const facts = await factsOf(one);
          factsByServer.set(one.address, facts);
          return judgeFacts(facts);
        }),
    ],
    ['persistence', () => onEach(async (one) => [await checkPersistence(one, factsAt(one))])],
    ['cluster', async () => [await checkCluster(session, server)]],
    ['permissions', () => onEach(async (one) => [await checkPermissions(context, one, factsAt(one))])],
    ['clock', async () => [await checkClock(server)]],
    ['round-trip', async () => [await checkRoundTrip(server)]],
    ['lock', async () => [await checkLock({ line, session, wheel, role: factsAt(server).role })]],
  ];
  for (const [check, work] of checks) if (!(await runCheck(check, work))) break;
  return findings;
}

async function factsOf(server: ServerPort): Promise<ServerFacts> {
  return readFacts(String(await server.ask('INFO', 'default')));
}

/** Of each check the finding of the server in the worst state, with its address where there are several servers. */
function worst(each: readonly { address: string; findings: readonly Finding[] }[]): Finding[] {
  const order: readonly Finding['status'][] = ['skip', 'ok', 'warn', 'fail'];
  const rank = ({ status }: Finding) => order.indexOf(status);
  const [first] = each;
  return (first?.findings ?? []).map((finding, index) => {
    const all = each.flatMap(({ address, findings }) => {
      const its = findings[index];
      return its === undefined ? [] : [{ address, its }];
    });
    const found = all.reduce((a, b) => (rank(b.its) > rank(a.its) ? b : a), { address: '', its: finding });
    const { its } = found;
    return each.length > 1 && rank(its) > 1
      ? { ...its, text: `${found.address || first?.address}: ${its.text}` }
      : its;
  });
}

async function checkPermissions(
  context: DoctorContext,
  server: ServerPort,
  { level }: ServerFacts,
): Promise<Finding> {
  const check = 'permissions';
  const isModern = Number(level?.split('.')[0] ?? 0) >= 7;
  const key = keyAt(server, context);
  if (key === undefined)
    return {
      check,
      status: 'skip',
      text: `no lock with the prefix "${context.line.prefix}" is on this server`,
    };
  const { session, line } = context;
  const kinds = { isCluster: session.isCluster, isSharded: session.isCluster && isModern };
  const probes = aclProbes(key, session.keyPrefix + line.prefix, kinds);
  const { missing, user } = await judgeAcl(server, key, probes, isModern);
  // A user without the permission for ACL WHOAMI is named by the address.
  const name = user ?? (decodeURIComponent(urlOf(line.redis)?.username ?? '') || 'default');
  const who = `user "${name}"`;
  if (missing.length === 0)
    return { check, status: 'ok', text: `${who} has all permissions that locks need` };
  const rules = [...new Set(missing.map(({ rule }) => rule))].join(' ');
  return {
    check,
    status: missing.every(({ isMinor }) => isMinor === true) ? 'warn' : 'fail',
    text: `${who} lacks ${rules}`,
    remedy: `ACL SETUSER ${name} ${rules}`,
  };
}

/** A key that a server has; undefined where none is found, as in a cluster with a prefix that has one slot. */
function keyAt(server: ServerPort, context: DoctorContext): string | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const key = keyOf(context, randomUUID());
    if (context.session.serverOf(key).address === server.address) return key;
  }
  return undefined;
}

/** A key of a lock that no client holds. */
function keyOf({ session, line }: DoctorContext, what: string): string {
  return `${session.keyPrefix}${line.prefix}doctor:${what}`;
}

function unanswered(check: string, { kind, message }: RedisFailure): Finding {
  return kind === 'refused'
    ? {
        check,
        status: 'warn',
        text: `could not be checked: ${message}`,
        remedy: 'docs/security.md lists the permissions that the user needs.',
      }
    : {
        check,
        status: 'fail',
        text: `the server has stopped answering: ${message}`,
        remedy: 'Check whether the server is up, and whether it is busy.',
      };
}
