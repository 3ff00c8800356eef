import type { ProjectFacts } from './project.facts.js';

/** What the user still has to do; `nest add` does none of it unasked. */
export function describeNextSteps({
  packages,
  usesScheduleModule,
  callsShutdownHooks,
}: ProjectFacts): string[] {
  const [client] = clientsIn(packages);
  const missing = [
    ...(packages.has('nestjs-distributed-lock') ? [] : ['nestjs-distributed-lock']),
    ...(client === undefined ? ['ioredis'] : []),
  ];
  const choice = client === undefined ? ' (or redis in place of ioredis: one Redis client is enough)' : '';
  const steps = [
    ...(missing.length > 0
      ? [`install the missing packages: npm install ${missing.join(' ')}${choice}`]
      : []),
    'set REDIS_URL where the application runs',
    "decorate a method: @DistributedLock('name')",
    ...(packages.has('@nestjs/schedule') || usesScheduleModule
      ? []
      : [
          `for jobs (@Cron, @Interval): npm install ${schedulerFor(packages)}, and add ScheduleModule.forRoot() to the imports`,
        ]),
    ...(callsShutdownHooks
      ? []
      : ['call app.enableShutdownHooks() in main.ts, so that a stopped instance releases its locks at once']),
  ];
  return ['', 'Next steps:', ...steps.map((step) => `  - ${step}`), ''];
}

/** The Redis clients of a project. The first one is what the application connects with: a URL takes ioredis before redis. */
export function clientsIn(packages: ProjectFacts['packages']): string[] {
  return ['ioredis', 'redis'].filter((name) => packages.has(name));
}

/** Version 12 accepts Nest 11, but is an ES module only, which the CommonJS Jest of a Nest 11 project cannot load. */
function schedulerFor(packages: ProjectFacts['packages']): string {
  const nest = /\d+/.exec(String(packages.get('@nestjs/core') ?? packages.get('@nestjs/common')))?.[0];
  return nest === '11' ? '@nestjs/schedule@6' : '@nestjs/schedule';
}
