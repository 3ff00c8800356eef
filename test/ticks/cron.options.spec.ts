import { Cron, type CronOptions } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import ts from 'typescript';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, registryOf, type FireFixtures } from './fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** The names that a value of `CronOptions` may have, by the types of the installed scheduler. */
function declaredOptions(): string[] {
  const source = `import type { CronOptions } from '@nestjs/schedule';
type Keys<T> = T extends unknown ? keyof T : never;
export declare const name: Keys<CronOptions>;`;
  const file = new URL('cron.options.probe.ts', import.meta.url).pathname;
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, source, version) : getSourceFile(name, version);
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const probe = program.getSourceFile(file);
  const symbol = probe && checker.getSymbolAtLocation(probe);
  const [name] = symbol === undefined ? [] : checker.getExportsOfModule(symbol);
  if (name === undefined) throw new Error('the probe has no export');
  const type = checker.getTypeOfSymbol(name);
  const parts = type.isUnion() ? type.types : [type];
  return parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
}

/** What becomes of a tick with each option; with the value, each tick runs once in the fleet. */
const ANSWERS: Readonly<Record<keyof CronOptions, CronOptions | 'off'>> = {
  name: { name: 'a name' },
  timeZone: { timeZone: '' },
  utcOffset: { utcOffset: 90 },
  unrefTimeout: { unrefTimeout: true },
  waitForCompletion: { waitForCompletion: true },
  // Off at an instance: test/ticks/off.spec.ts.
  disabled: 'off',
  threshold: { threshold: 1000 },
  initialDelay: { initialDelay: 100 },
};

/** More values that people write. */
const VALUES: Readonly<Record<string, CronOptions>> = {
  'no options': {},
  'a zone': { timeZone: 'Asia/Kathmandu' },
  'an offset of 0': { utcOffset: 0 },
  'a zone by its offset': { timeZone: 'UTC+5:30' },
  'enabled, said so': { disabled: false },
  'a delay of 0': { initialDelay: 0 },
  'an empty name': { name: '' },
};

test('each option of @Cron has an answer', () => {
  expect(declaredOptions().toSorted()).toEqual(Object.keys(ANSWERS).toSorted());
});

describe.concurrent('each tick runs once in the fleet with', { timeout: scaled(20_000) }, () => {
  const cases = Object.entries({ ...ANSWERS, ...VALUES }).flatMap(([what, options]) =>
    options === 'off' ? [] : [[what, options] as const],
  );

  test.for(cases)('%s', async ([, options], { stage }) => {
    class Job {
      @Cron('* * * * * *', options)
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }
    }
    const apps = await stage.start(3, [Job]);
    await until('two runs', () => stage.runs.length >= 2, 10_000);
    const ticks = stage.runs.map(({ tick }) => tick);
    expect(ticks).not.toContain(undefined);
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(apps.map((app) => registryOf(app).getCronJobs().size)).toEqual([1, 1, 1]);
  });
});
