import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'vitest';
import type { TestProject } from 'vitest/node';
import { buildPeer } from '../../tools/java/peer.builder.mjs';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { readRows, tableOf } from './row.table.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What starts a Java process with Redisson. */
    readonly javaPeer: { readonly command: string; readonly args: readonly string[] };
    /** Where rows are written down, one a line. */
    readonly rowsFile: string;
  }
}

/** Builds the Java side, starts a Redis that nobody else uses, and prints all rows at the end. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  project.provide('javaPeer', await buildPeer());
  const folder = await mkdtemp(join(tmpdir(), 'interop-'));
  const rowsFile = join(folder, 'rows.jsonl');
  project.provide('rowsFile', rowsFile);
  const redis = await startRedis();
  project.provide('redisUrl', redis.url);
  return async () => {
    await redis.stop();
    console.log(tableOf(await readRows(rowsFile)));
    await rm(folder, { recursive: true, force: true });
  };
}
