import type { Heartbeat } from '../contracts/heartbeat.contract.js';
import { VERSION } from '../contracts/version.js';
import { errorText } from '../errors/error.text.js';
import { printable } from '../errors/printable.text.js';

/** The error message in a report is cut to this length, in characters. */
const LONGEST_ERROR = 1000;

/** How deep the causes of an error are followed. */
const DEEPEST = 5;

/** Where the heartbeats of one state go to. */
export interface HeartbeatTarget {
  /** Names it in the log. Contains no secret. */
  readonly to: string;
  /**
   * Rejects when the heartbeat has not arrived. The message contains no part of a URL.
   * @param signal ends the attempt
   */
  send(heartbeat: Heartbeat, signal: AbortSignal): Promise<void>;
}

/** A function of the application. Its promise may settle after the signal. */
export class HeartbeatFunction implements HeartbeatTarget {
  readonly to = 'its function';

  constructor(private readonly call: (heartbeat: Heartbeat) => unknown) {}

  async send(heartbeat: Heartbeat): Promise<void> {
    await this.call(heartbeat);
  }
}

/** A URL, which is a secret: with it, anyone could report in the name of the job. */
export class HeartbeatUrl implements HeartbeatTarget {
  readonly to: string;
  // Private to the language: a logger that walks through this object must find nothing in it.
  readonly #href: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: URL) {
    const { username, password } = url;
    const plain = new URL(url);
    // fetch() refuses a URL with credentials.
    Object.assign(plain, { username: '', password: '', hash: '' });
    this.to = plain.host;
    this.#href = plain.href;
    this.#headers = {
      'content-type': 'text/plain; charset=utf-8',
      'user-agent': `nestjs-distributed-lock/${VERSION}`,
      ...(username === '' && password === '' ? {} : { authorization: basic(username, password) }),
    };
  }

  async send(heartbeat: Heartbeat, signal: AbortSignal): Promise<void> {
    const failure = await this.#post(reportOf(heartbeat), signal);
    if (failure !== undefined) throw new Error(failure);
  }

  /** @returns why it has not arrived: the error of fetch() itself may quote the URL */
  async #post(body: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const {
        ok,
        status,
        body: answer,
      } = await fetch(this.#href, {
        method: 'POST',
        headers: this.#headers,
        body,
        signal,
      });
      // The answer is not read, and would keep its connection.
      await answer?.cancel();
      return ok ? undefined : `it answered with the status ${status}`;
    } catch (error) {
      return reasonOf(error);
    }
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from([username, password].map(decoded).join(':')).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The body of a request, for people. */
function reportOf({ job, tick, attempt, instance, took, state, error }: Heartbeat): string {
  const lines = [`job: ${job}`, `tick: ${new Date(tick).toISOString()}`];
  lines.push(`attempt: ${attempt}`, `instance: ${instance}`);
  if (took !== undefined) lines.push(`took: ${took} ms`);
  // A long message is cut before its characters are examined.
  if (state === 'failure')
    lines.push(`error: ${printable(errorText(error).slice(0, LONGEST_ERROR)).slice(0, LONGEST_ERROR)}`);
  return `${lines.map(printable).join('\n')}\n`;
}

/** Only codes, and messages of plain words. */
function reasonOf(error: unknown): string {
  let cause = error;
  let words: string | undefined;
  for (let depth = 0; depth < DEEPEST && cause instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,60}$/.test(code)) return code;
    if (/^[A-Za-z ]{1,60}$/.test(cause.message)) words = cause.message;
    ({ cause } = cause);
  }
  return words ?? 'the request failed';
}
