import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { now } from '../timing/monotonic.clock.js';
import type { DashboardRequest } from './dashboard.options.js';

/** A request of Express or Fastify. */
export interface HttpRequest extends DashboardRequest {
  readonly url: string;
  readonly method: string;
  readonly originalUrl?: string;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly raw?: IncomingMessage;
}

/** A response of Express or Fastify: answers are sent on it and not returned, so that no interceptor of the application changes their form. */
export interface HttpResponse {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body?: unknown): unknown;
  /** Fastify's: the response is written by hand from now on. */
  hijack?(): unknown;
  readonly raw?: ServerResponse;
}

/** Nothing comes from another host, no code stands in the page, and no other site may frame it. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'"],
].join('; ');

/** Of every answer. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

/** A page that has not received an event after this time is disconnected, in ms: what waits for it must not grow. */
const SLOWEST = 10_000;

/** How long a page that has not received all of its events holds up the end of its connection, in ms. */
const LINGER = 1000;

/** A page is disconnected after this time, in ms, and connects again: so the guards are asked again. */
const LONGEST_STREAM = 15 * 60_000;

/** A comment is sent after this time without an event, in ms, so that no proxy ends the connection. */
const KEEP_ALIVE = 15_000;

/** Sends an answer. */
export function answer(response: HttpResponse, status: number, type: string, body: string | Buffer): void {
  const to = response.status(status).header('content-type', type);
  for (const [name, value] of Object.entries(HEADERS)) to.header(name, value);
  to.header('cache-control', type.startsWith('application/json') ? 'no-store' : 'no-cache').send(body);
}

export function answerJson(response: HttpResponse, status: number, body: object): void {
  answer(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** The path of a request from the root of the server, as the client has sent it; without the query. */
export function pathOf({ originalUrl, url }: HttpRequest): string {
  return (originalUrl ?? url).replace(/[?#].*$/s, '');
}

/**
 * Whether a request that changes something comes from the page itself: another site can neither set the header, nor have the origin.
 * `x-forwarded-host` does not count, since a page of another site may set it.
 */
export function isOfPage({ headers }: HttpRequest): boolean {
  const one = (name: string) => [headers[name]].flat()[0];
  if (one('x-distributed-lock-dashboard') !== '1') return false;
  const site = one('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = one('origin');
  if (origin === undefined) return true;
  return origin.toLowerCase().endsWith(`//${String(one('host')).toLowerCase()}`);
}

/** An open stream of server-sent events. */
export interface EventStream {
  send(event: string, json: string): void;
  end(): void;
}

/** Whether the client has left already: then no event of its connection comes any more. */
export function hasLeft(request: HttpRequest, response: HttpResponse): boolean {
  const raw = response.raw ?? rawOf(response);
  return raw.destroyed || raw.closed || request.raw?.destroyed === true;
}

/** Opens a stream of server-sent events. @param ended is called once, when either side has ended it */
export function openStream(
  response: HttpResponse,
  wheel: Pick<TimerWheel, 'background' | 'cancel' | 'set'>,
  ended: () => void,
): EventStream {
  response.hijack?.();
  const raw = response.raw ?? rawOf(response);
  let isOpen = true;
  /** Since when there is something that the client has not received. */
  let waitsSince: number | undefined;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    wheel.cancel(keepAlive);
    wheel.cancel(longest);
    ended();
  };
  const end = () => {
    close();
    raw.end();
    // A client that does not read holds up the server, which waits for its responses.
    wheel.set(linger, now() + LINGER);
  };
  const linger = wheel.background(() => void raw.destroy());
  const longest = wheel.background(end);
  const keepAlive = wheel.background(() => {
    raw.write(':\n\n');
    wheel.set(keepAlive, now() + KEEP_ALIVE);
  });
  wheel.set(longest, now() + LONGEST_STREAM);
  wheel.set(keepAlive, now() + KEEP_ALIVE);
  raw.on('drain', () => {
    waitsSince = undefined;
  });
  raw.once('close', () => {
    wheel.cancel(linger);
    close();
  });
  // The client is gone.
  raw.on('error', close);
  raw.writeHead(200, {
    ...HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    // Neither a cache nor a compression may hold an event back.
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  // The browser tries again after this time.
  raw.write('retry: 1000\n\n');
  return {
    send(event, json) {
      if (!isOpen) return;
      if (waitsSince !== undefined && now() - waitsSince > SLOWEST) return end();
      if (!raw.write(`event: ${event}\ndata: ${json}\n\n`)) waitsSince ??= now();
    },
    end,
  };
}

/** Express's response is Node's. */
function rawOf(response: HttpResponse): ServerResponse {
  return response as HttpResponse & ServerResponse;
}
