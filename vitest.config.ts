import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { scaled } from './test/support/slowness.js';

const library = fileURLToPath(new URL('./libs/distributed-lock/src/index.ts', import.meta.url));

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { alias: { 'nestjs-distributed-lock': library } },
  test: {
    testTimeout: scaled(10_000),
    hookTimeout: scaled(30_000),
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['libs/**/*.spec.ts', 'tools/**/*.spec.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.spec.ts'],
          globalSetup: ['test/support/global.setup.ts'],
          pool: 'forks',
          // Every file starts processes of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
