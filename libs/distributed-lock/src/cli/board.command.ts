import {
  Module,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  type INestApplication,
  type NestApplicationOptions,
} from '@nestjs/common';
import type { CommandContext } from '../command-line/command.context.js';
import { UsageError } from '../command-line/command.line.js';
import { EXIT } from '../command-line/exit.codes.js';
import { operatorName } from '../command-line/operator.name.js';
import { withLocks } from '../command-line/with.locks.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { DistributedLockDashboardModule, type DashboardRequest } from '../dashboard/index.js';
import type { LockService } from '../service/lock.service.js';

const HOST = '127.0.0.1';

/** `board`: serves the dashboard on this machine, without an application, until it is interrupted. */
export async function board(context: CommandContext): Promise<number> {
  return await withLocks(context, async (locks) => {
    const { line, session, terminal } = context;
    locks.events.listen({
      operatorAction: ({ action, name, isDone, at }) =>
        terminal.note(
          `${new Date(at).toISOString()} ${action} "${name}": ${isDone ? 'done' : 'nothing was changed'}`,
        ),
    });
    const app = await createApplication(moduleOf(locks, line.isReadOnly));
    const ended = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    });
    try {
      await app.listen(line.port, HOST);
      const url = await app.getUrl();
      if (line.isJson) terminal.json({ url });
      else terminal.line(`The dashboard of ${session.address} is at ${url}/ (end it with Ctrl+C).`);
      await ended;
      return EXIT.done;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
        throw new UsageError(`Port ${line.port} is in use: give another one by --port, or --port 0.`);
      throw error;
    } finally {
      await app.close();
    }
  });
}

/** On Fastify where there is no Express, whose adapter Nest finds by itself. @throws UsageError for packages that are not installed */
async function createApplication(module: DynamicModule): Promise<INestApplication> {
  const options = { logger: ['warn', 'error'], abortOnError: false } satisfies NestApplicationOptions;
  const [core, express, fastify] = await Promise.all([
    found(() => import('@nestjs/core')),
    found(() => import('@nestjs/platform-express')),
    found(() => import('@nestjs/platform-fastify')),
  ]);
  if (core === undefined) throw new UsageError('board needs @nestjs/core: install it.');
  if (express !== undefined)
    return await core.NestFactory.create(module, new express.ExpressAdapter(), options);
  if (fastify !== undefined)
    return await core.NestFactory.create(module, new fastify.FastifyAdapter(), options);
  throw new UsageError(
    'board needs @nestjs/platform-express or @nestjs/platform-fastify: install one of them.',
  );
}

/** Undefined for a package that is not installed. */
async function found<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}

function moduleOf(locks: LockService, readOnly: boolean): DynamicModule {
  @Module({})
  class BoardModule {}
  const token = lockServiceToken();
  return {
    module: BoardModule,
    global: true,
    imports: [
      DistributedLockDashboardModule.forRoot({
        path: '',
        guards: [new LoopbackGuard()],
        readOnly,
        userOf: operatorName,
      }),
    ],
    providers: [{ provide: token, useValue: locks }],
    exports: [token],
  };
}

/** Every process of this machine may use the dashboard; a page of the internet whose name leads to this machine may not. */
class LoopbackGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<DashboardRequest>();
    return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(String(headers['host']));
  }
}
