import { readdir, readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis, StartOptions } from '../../tools/redis/redis.types.js';

const ROOT = new URL('../../', import.meta.url);
const PASSWORD = 'CHANGE-ME';

/** Those that tell a channel by themselves: the command is given to them. */
const PUBLISHING = ['parts/messages.lua', 'reentrant/release.lua'];

/** The lines that the docs give to be copied, in their order: the user; what a cluster adds; what replication adds. */
export async function readLines(): Promise<string[][]> {
  const text = await readFile(new URL('docs/security.md', ROOT), 'utf8');
  return [...text.matchAll(/^ACL SETUSER locks (.*)$/gm)].map(([, rules = '']) => rules.split(' '));
}

/** The commands that a line allows, in upper case; a command with a subcommand as `CLIENT|SETNAME`. */
export function commandsOf(rules: readonly string[]): string[] {
  return rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1).toUpperCase());
}

/**
 * The commands of all scripts, read from their sources. `fenced/guard` is not one of them: it is run on a client of the
 * application's own, with the commands of the application.
 * @throws where a script runs a command that cannot be read from its source, but for those that publish
 */
export async function scriptCommands(): Promise<ReadonlySet<string>> {
  const root = new URL('lua/', ROOT);
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.lua'));
  const found = new Set<string>();
  for (const file of files.filter((name) => name !== 'fenced/guard.lua')) {
    const text = await readFile(new URL(file, root), 'utf8');
    for (const [call, name] of text.matchAll(/redis\.p?call\((?:'(\w+)'|[^)]*)/g)) {
      // Its part for clusters stands in a line of its own.
      if (name === 'PUBSUB') found.add('PUBSUB|NUMSUB');
      else if (name !== undefined) found.add(name.toUpperCase());
      else if (!PUBLISHING.includes(file) || !call.includes('(publish,')) throw new Error(`${file}: ${call}`);
    }
  }
  return found.add('PUBLISH');
}

/** A server whose default user is off: whoever comes is the user of the docs, or its administrator. */
export interface GuardedRedis {
  readonly server: RunningRedis;
  /** Connects as the user of the docs. */
  readonly url: string;
  /** Connects as one who may do everything. */
  readonly adminUrl: string;
  readonly admin: Redis;
  stop(): Promise<void>;
}

/** @param lines how many of the docs' lines apply */
export async function startGuarded(lines = 1, options?: StartOptions): Promise<GuardedRedis> {
  const server = await startRedis(options);
  const first = new Redis(server.url);
  for (const rules of (await readLines()).slice(0, lines)) await first.acl('SETUSER', 'locks', ...rules);
  await first.acl('SETUSER', 'admin', 'on', '>root', '~*', '&*', '+@all');
  await first.acl('SETUSER', 'default', 'off');
  first.disconnect();
  const as = (user: string) => server.url.replace('//', `//${user}@`);
  const adminUrl = as('admin:root');
  const admin = new Redis(adminUrl);
  return {
    server,
    url: as(`locks:${PASSWORD}`),
    adminUrl,
    admin,
    async stop() {
      admin.disconnect();
      await server.stop();
    },
  };
}
