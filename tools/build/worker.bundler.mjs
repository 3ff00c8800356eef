import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './node.runner.mjs';

/** Where the compiler puts the workers. */
const COMPILED = 'dist/test/workers';

/** Where the bundled workers stand. */
export const BUNDLED = 'dist/workers';

/** The workers that many tests start: one file each loads Nest in a third of the CPU time that hundreds of files take. */
const WORKERS = [
  'tick.worker',
  'faults/app.worker',
  'faults/hold.worker',
  'faults/leader.worker',
  'kinds/kind.worker',
  'degraded/desk.worker',
];

/** Packages that Nest and the library load when they are there. */
const OPTIONAL = /^(?:@nestjs\/(?:microservices|websockets)|class-transformer|class-validator|redis)(?:\/|$)/;

/** Bundles the compiled workers with all that they load: the built library, Nest and the Redis client. @returns true */
export async function bundleWorkers() {
  const bundle = await rolldown({
    input: Object.fromEntries(WORKERS.map((name) => [name, join(ROOT, COMPILED, `${name}.js`)])),
    cwd: ROOT,
    platform: 'node',
    external: OPTIONAL,
    // The library's manifest says that its files have no side effects; a worker is nothing but that.
    treeshake: false,
  });
  await rm(join(ROOT, BUNDLED), { recursive: true, force: true });
  await bundle.write({
    dir: join(ROOT, BUNDLED),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
  });
  await bundle.close();
  return true;
}
