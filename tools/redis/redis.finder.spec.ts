import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findRedisServer } from './redis.finder.mjs';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finder-'));
  vi.stubEnv('REDIS_URL', '');
  vi.stubEnv('REDIS_SERVER_BIN', '');
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('HOME', folder);
  vi.stubEnv('PATH', join(folder, 'bin'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeProgram(path: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

const find = (own = false) => findRedisServer({ own, folders: [join(folder, 'brew')] });

describe('findRedisServer', () => {
  it('takes REDIS_URL first, unless a server of one’s own is needed', async () => {
    vi.stubEnv('REDIS_URL', 'redis://elsewhere:1');
    const bin = await writeProgram('my-redis');
    vi.stubEnv('REDIS_SERVER_BIN', bin);
    expect(await find()).toEqual({ kind: 'url', url: 'redis://elsewhere:1' });
    expect(await find(true)).toMatchObject({ kind: 'binary', path: bin, how: 'REDIS_SERVER_BIN' });
  });

  it('refuses a REDIS_SERVER_BIN that cannot be run, rather than taking another', async () => {
    await writeProgram('bin/redis-server');
    vi.stubEnv('REDIS_SERVER_BIN', join(folder, 'nothing'));
    await expect(find()).rejects.toThrow(/REDIS_SERVER_BIN is ".*nothing", which is not an executable file/);
  });

  it('prefers redis-server to valkey-server, and PATH to the other folders', async () => {
    const brewed = await writeProgram('brew/valkey-server');
    expect(await find()).toMatchObject({ path: brewed });
    const valkey = await writeProgram('bin/valkey-server');
    expect(await find()).toMatchObject({ path: valkey });
    const redis = await writeProgram('brew/redis-server');
    expect(await find()).toMatchObject({ path: redis });
  });

  it('takes what the private cache holds, with its libraries', async () => {
    // The folder of caches differs by platform only where XDG_CACHE_HOME says nothing.
    const cached = `cache/nestjs-distributed-lock/redis-${process.platform}-${process.arch}`;
    const path = await writeProgram(`${cached}/redis-server`);
    await mkdir(join(folder, cached, 'usr/lib/some-linux-gnu'), { recursive: true });
    const found = await find();
    expect(found).toMatchObject({ kind: 'binary', path, how: 'from the private cache' });
    expect(found).toHaveProperty('env.LD_LIBRARY_PATH', expect.stringContaining('some-linux-gnu'));
  });

  it('names the commands that install one where there is none, and leaves nothing behind', async () => {
    // An empty PATH takes apt-get and docker away too.
    await expect(find()).rejects.toThrow(
      /sudo apt-get install redis-server[\s\S]*brew install redis[\s\S]*docker: /,
    );
    const cached = join(folder, 'cache/nestjs-distributed-lock');
    await expect(rm(cached).catch((error: NodeJS.ErrnoException) => error.code)).resolves.not.toBeUndefined();
  });
});
