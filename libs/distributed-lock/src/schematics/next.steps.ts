import type { ProjectFacts } from './project.facts.js';

/** What the user still has to do; `nest add` does none of it unasked. */
export function describeNextSteps({
  packages,
  usesScheduleModule,
  callsShutdownHooks,
}: ProjectFacts): string[] {
  const missing = ['nestjs-distributed-lock', 'ioredis'].filter((name) => !packages.has(name));
  const steps = [
    ...(missing.length > 0
      ? [`install what package.json does not name: npm install ${missing.join(' ')}`]
      : []),
    'set REDIS_URL where the application runs',
    "decorate a method: @DistributedLock('name')",
    ...(packages.has('@nestjs/schedule') || usesScheduleModule
      ? []
      : [
          'for jobs (@Cron, @Interval): npm install @nestjs/schedule, and add ScheduleModule.forRoot() to the imports',
        ]),
    ...(callsShutdownHooks
      ? []
      : [
          'call app.enableShutdownHooks() in main.ts, so that a stopped instance gives its locks back at once',
        ]),
  ];
  return ['', 'Next steps:', ...steps.map((step) => `  - ${step}`), ''];
}
