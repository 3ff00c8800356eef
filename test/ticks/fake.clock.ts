import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DOWNLOADED_WITHIN, runCommand } from '../../tools/redis/command.runner.mjs';

const PACKAGE = 'libfaketime';
const LIBRARY = 'faketime/libfaketime.so.1';

/** A library that, preloaded, gives a process another wall clock. */
export interface FakeClock {
  /** The environment of a process whose clock is off by what the file says (`+3600`, in seconds). */
  envFor(file: string): Record<string, string>;
}

/** Finds libfaketime, or unpacks Debian's package into the private cache. @returns why it cannot be had, otherwise */
export async function findFakeClock(): Promise<FakeClock | string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'nestjs-distributed-lock');
  const root = join(cache, `${PACKAGE}-${process.platform}-${process.arch}`);
  const found = (await locate('/usr/lib')) ?? (await locate(join(root, 'usr/lib')));
  if (found !== undefined) return fakeClock(found);
  if (process.platform !== 'linux' || !existsSync('/etc/debian_version')) return 'it is not installed';
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'work-'));
  try {
    const problem = await unpack(work);
    if (problem !== undefined) return problem;
    // Of several processes that unpack it at once, the first one's copy stays.
    await rename(join(work, 'root'), root).catch(() => undefined);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const library = await locate(join(root, 'usr/lib'));
  return library === undefined ? `${PACKAGE} has no ${LIBRARY}` : fakeClock(library);
}

function fakeClock(library: string): FakeClock {
  return {
    envFor: (file) => ({
      // The C library's malloc instead of jemalloc's, which asks for the time before the library can answer, and hangs.
      LD_PRELOAD: `${library}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
  };
}

async function locate(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name, LIBRARY)).find((path) => existsSync(path));
}

/** Fills `<work>/root`, without root's rights. @returns why it did not work */
async function unpack(work: string): Promise<string | undefined> {
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages', 'root'])
    await mkdir(join(work, folder), { recursive: true });
  const options = [
    `Dir::State=${join(work, 'state')}`,
    'Dir::State::Status=/var/lib/dpkg/status',
    `Dir::Cache=${join(work, 'cache')}`,
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  const packages = join(work, 'packages');
  const timeout = DOWNLOADED_WITHIN;
  await runCommand('apt-get', [...options, 'update'], { timeout });
  const download = await runCommand('apt-get', [...options, 'download', PACKAGE], { cwd: packages, timeout });
  if (!download.ok) return download.output.trim().split('\n').at(-1);
  for (const file of await readdir(packages)) {
    const unpacked = await runCommand('dpkg', ['-x', join(packages, file), join(work, 'root')]);
    if (!unpacked.ok) return unpacked.output.trim();
  }
  return undefined;
}
