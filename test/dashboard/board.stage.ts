import type { AddressInfo } from 'node:net';
import {
  RequestMethod,
  VersioningType,
  type INestApplication,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import {
  DistributedLockDashboardModule,
  type DashboardModuleOptions,
} from 'nestjs-distributed-lock/dashboard';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { until } from '../support/until.js';

export const PLATFORMS = ['express', 'fastify'] as const;

/** What an application with a dashboard is made of. */
export interface BoardApp {
  readonly redis: RedisSource;
  readonly settings?: LockModuleSettings;
  readonly dashboard?: DashboardModuleOptions;
  readonly platform?: (typeof PLATFORMS)[number];
  readonly providers?: readonly Type<unknown>[];
  readonly imports?: ModuleMetadata['imports'];
  /** @default any free one */
  readonly port?: number;
  /** @default none */
  readonly globalPrefix?: string;
  readonly isVersioned?: boolean;
  /** Whether every other origin may read what the application answers, with cookies, and send any header. */
  readonly isOpenToOrigins?: boolean;
  /** Whether Fastify ends idle connections at its close: it waits for those of a client that has aborted an answer, of any route. */
  readonly endsIdle?: boolean;
}

/** A running application with a dashboard. */
export interface RunningBoard {
  readonly app: INestApplication;
  readonly locks: LockService;
  /** The address of the server, without a path. */
  readonly origin: string;
}

/** The header that the page sends with each action. */
export const OF_PAGE = { 'content-type': 'application/json', 'x-distributed-lock-dashboard': '1' };

/** Starts a real application on a free port. */
export async function startBoard(wanted: BoardApp): Promise<RunningBoard> {
  const { redis, settings, dashboard, platform = 'express', providers = [], globalPrefix } = wanted;
  const module = await Test.createTestingModule({
    imports: [
      DistributedLockModule.forRoot({ redis, instanceInfo: false, shutdownTimeout: 200, ...settings }),
      DistributedLockDashboardModule.forRoot(dashboard),
      ...(wanted.imports ?? []),
    ],
    providers: [...providers],
  }).compile();
  const app =
    platform === 'fastify'
      ? module.createNestApplication(
          new FastifyAdapter({ forceCloseConnections: wanted.endsIdle ?? 'idle' }),
          { logger: false },
        )
      : module.createNestApplication({ logger: false });
  if (globalPrefix !== undefined)
    app.setGlobalPrefix(globalPrefix, { exclude: [{ path: 'health', method: RequestMethod.GET }] });
  if (wanted.isVersioned === true) app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  if (wanted.isOpenToOrigins === true) app.enableCors({ origin: true, credentials: true });
  await app.listen(wanted.port ?? 0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, locks: app.get(LockService), origin: `http://127.0.0.1:${port}` };
}

/** Requests an action as the page does. */
export async function act(root: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${root}/api/actions`, {
    method: 'POST',
    headers: { ...OF_PAGE, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as { isDone: boolean; message: string } };
}

/** A reader of server-sent events, as a page is one. */
export class EventReader {
  readonly events: { readonly event: string; readonly data: unknown }[] = [];
  readonly #abort = new AbortController();
  isEnded = false;

  /** Resolves when the server has accepted it. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { signal: reader.#abort.signal, headers });
    if (response.status !== 200 || response.body === null)
      throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    void reader.#read(response.body);
    return reader;
  }

  /** The newest event of that name that the condition holds for. */
  async next<T>(event: string, condition: (data: T) => boolean = () => true): Promise<T> {
    const find = () =>
      this.events.findLast((each) => each.event === event && condition(each.data as T))?.data as
        | T
        | undefined;
    await until(`an event ${event}`, () => find() !== undefined);
    return find() as T;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const [, event, json] = /^event: (.+)\ndata: (.+)$/s.exec(block) ?? [];
          if (event !== undefined && json !== undefined) this.events.push({ event, data: JSON.parse(json) });
        }
      }
    } catch {
      // It was closed.
    }
    this.isEnded = true;
  }
}
