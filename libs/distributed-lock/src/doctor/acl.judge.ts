import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerPort } from '../connections/server.session.js';
import type { Probe } from './acl.probes.js';

/** The errors of all versions for a command, a key or a channel that a user may not use. */
const DENIED = /NOPERM|no permissions|ACL failure|user executing the script can't/i;

/**
 * Runs each probe, and returns the error of each or nothing. A script with `no-writes` cannot write; before Redis 7 what is created
 * is deleted in the same script.
 */
const TRIAL = `local probes, creating = cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local function try(words)
  local reply = redis.pcall(unpack(words))
  return type(reply) == 'table' and reply.err or ''
end
local replies = {}
for i, words in ipairs(probes) do replies[i] = try(words) end
local tidy = ARGV[4] == '1' or redis.pcall('DEL', ARGV[3])
for i, words in ipairs(creating) do
  replies[#probes + i] = (type(tidy) == 'table' and tidy.err) and '' or try(words)
end
if ARGV[4] ~= '1' then redis.pcall('DEL', ARGV[3]) end
return replies`;

/** The cause of a denial: a denied key is not the command's fault. */
type Denial = 'command' | 'key' | 'channel';

/** @returns the probes that the user may not do; the name of the user, where the server gives it */
export async function judgeAcl(
  server: ServerPort,
  key: string,
  probes: readonly Probe[],
  canDeclare: boolean,
): Promise<{ missing: Probe[]; user: string | undefined }> {
  const user = await textOf(server.ask('ACL', 'WHOAMI'));
  const answers =
    (user !== undefined ? await askAll(server, user, probes) : undefined) ??
    (await tryAll(server, key, probes, canDeclare));
  const missing = probes.filter((probe) => {
    const answer = answers.get(probe) ?? '';
    return DENIED.test(answer) && denialOf(answer) === wantOf(probe);
  });
  return { missing, user };
}

/** By ACL DRYRUN, which does nothing. @returns undefined where the server lacks that command, or the user may not call it */
async function askAll(
  server: ServerPort,
  user: string,
  probes: readonly Probe[],
): Promise<Map<Probe, string> | undefined> {
  const answers = await Promise.all(
    probes.map(
      async (probe) => [probe, await textOf(server.ask('ACL', 'DRYRUN', user, ...probe.words))] as const,
    ),
  );
  const known = answers.flatMap(([probe, text]) => (text === undefined ? [] : [[probe, text] as const]));
  return known.length === probes.length ? new Map(known) : undefined;
}

async function tryAll(
  server: ServerPort,
  key: string,
  probes: readonly Probe[],
  canDeclare: boolean,
): Promise<Map<Probe, string>> {
  const answers = new Map<Probe, string>();
  const inert = probes.filter(({ where, creates }) => where === 'script' && creates !== true);
  const creating = probes.filter(({ creates }) => creates === true);
  const words = (some: readonly Probe[]) => JSON.stringify(some.map((probe) => probe.words));
  const head = canDeclare ? '#!lua flags=no-writes\n' : '';
  const args = [words(inert), words(creating), key, canDeclare ? '1' : '0'];
  const replies = await server.ask('EVAL', head + TRIAL, '0', ...args).catch(refusal);
  if (Array.isArray(replies))
    for (const [index, probe] of [...inert, ...creating].entries())
      answers.set(probe, String(replies[index]));
  // One after the other: a connection with subscriptions may run nothing else.
  for (const probe of probes.filter(({ where }) => where === 'connection'))
    answers.set(probe, String(await server.ask(...asCall(probe)).catch(refusal)));
  return answers;
}

function asCall({ words: [command = '', ...args] }: Probe): [string, ...string[]] {
  return [command, ...args];
}

function wantOf({ rule }: Probe): Denial {
  return rule.startsWith('~') ? 'key' : rule.startsWith('&') ? 'channel' : 'command';
}

function denialOf(answer: string): Denial {
  if (/\bchannels?\b/.test(answer)) return 'channel';
  return /\bkeys?\b/.test(answer) ? 'key' : 'command';
}

async function textOf(reply: Promise<unknown>): Promise<string | undefined> {
  const text = await reply.catch(refused);
  return text === undefined ? undefined : String(text);
}

/** The message of a refusal, in place of a reply. */
function refusal(error: unknown): string {
  if (error instanceof RedisFailure && error.kind === 'refused') return error.message;
  throw error;
}

function refused(error: unknown): undefined {
  refusal(error);
  return undefined;
}
