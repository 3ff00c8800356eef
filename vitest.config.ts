import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { scaled } from './test/support/slowness.js';
import { embeddedLua } from './tools/lua/embed.plugin.mjs';
import { PROGRAM_FOLDERS } from './tools/test/program.folders.mjs';
import { SlowFirst } from './tools/test/slow.first.mjs';

const library = fileURLToPath(new URL('./libs/distributed-lock/src', import.meta.url));

/** What runs on Sentinel or a Cluster. */
const TOPOLOGIES = ['topologies', 'support/topology', 'cluster', 'replication'].map(
  (folder) => `test/${folder}/**/*.spec.ts`,
);

/** What needs no clock: simulated fleets. */
const SIMULATION = ['test/simulation/**/*.spec.ts', 'test/porcupine/simulated.histories.spec.ts'];

/** The scripts beside models of them. */
const MODELS = ['test/models/**/*.spec.ts'];

/** Browsers, compilers, the demo and the command line. */
const PROGRAMS = PROGRAM_FOLDERS.map((folder) => `test/${folder}/**/*.spec.ts`);

/** The conformance suite, on one server and without Redis. */
const CONFORMANCE = ['locks', 'quorum', 'security', 'memory'].map(
  (folder) => `test/${folder}/**/*.conformance.spec.ts`,
);

export default defineConfig({
  plugins: [embeddedLua()],
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: {
    alias: [
      { find: /^nestjs-distributed-lock$/, replacement: `${library}/index.ts` },
      { find: /^nestjs-distributed-lock\/(\w+)$/, replacement: `${library}/$1/index.ts` },
    ],
  },
  test: {
    testTimeout: scaled(10_000),
    hookTimeout: scaled(30_000),
    unstubEnvs: true,
    restoreMocks: true,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['libs/**/*.spec.ts', 'tools/**/*.spec.ts', 'test/histories/**/*.spec.ts'],
          pool: 'threads',
          isolate: false,
          // "npm test" gives it what the suites with clocks leave of the CPU.
          testTimeout: scaled(60_000),
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.spec.ts'],
          exclude: [
            ...configDefaults.exclude,
            'test/chaos/**',
            'test/histories/**',
            'test/porcupine/**',
            'test/interop/**',
            ...CONFORMANCE,
            ...MODELS,
            ...PROGRAMS,
            ...SIMULATION,
            ...TOPOLOGIES,
          ],
          globalSetup: ['test/support/global.setup.ts'],
          pool: 'forks',
          // Files wait for more than half of their time, and share a process with what was imported by those before them.
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          // The documentation's code runs as a user's would: by Node, on the built library.
          server: { deps: { external: [/\/dist\/(?:docs|esm)\//] } },
          include: PROGRAMS,
          globalSetup: ['test/support/global.setup.ts'],
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 8 },
        },
      },
      {
        extends: true,
        test: {
          name: 'models',
          include: MODELS,
          globalSetup: ['test/support/global.setup.ts'],
          pool: 'forks',
          // A file needs a CPU all of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 6 },
        },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: SIMULATION,
          globalSetup: ['test/simulation/simulation.setup.ts'],
          pool: 'forks',
          // "npm test" gives it what the suites with clocks leave of the CPU.
          testTimeout: scaled(600_000),
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: CONFORMANCE,
          globalSetup: ['test/support/global.setup.ts'],
          pool: 'forks',
          // Most of the time a file waits for leases to end.
          isolate: false,
          maxWorkers: 6,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: {
          name: 'topologies',
          include: TOPOLOGIES,
          globalSetup: ['test/topologies/topologies.setup.ts'],
          pool: 'forks',
          // Most of the time a file waits for leases to end.
          isolate: false,
          maxWorkers: 5,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.spec.ts', 'test/porcupine/**/*.spec.ts'],
          exclude: [...configDefaults.exclude, ...SIMULATION],
          globalSetup: ['test/chaos/chaos.setup.ts'],
          pool: 'forks',
          // Each run has its servers, and processes that are to be late for one reason only.
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'interop',
          include: ['test/interop/**/*.spec.ts'],
          globalSetup: ['test/interop/interop.setup.ts'],
          pool: 'forks',
          // A row waits until leases have ended, several times over.
          testTimeout: scaled(20_000),
          // What is measured is how soon the other side hears of something: nobody else shall need the machine.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
