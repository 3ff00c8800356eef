import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../libs/distributed-lock/src/cli/command.runner.js';
import { Terminal } from '../../libs/distributed-lock/src/command-line/terminal.js';

/** What a command has said, and ended with. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. @param answer what somebody at a terminal says; undefined: there is none */
export async function say(
  args: readonly string[],
  url: string,
  answer?: string | (() => Promise<string>),
): Promise<Said> {
  let [out, err] = ['', ''];
  const input = Object.assign(new PassThrough(), { isTTY: answer !== undefined });
  if (typeof answer !== 'function') input.end(answer);
  const terminal = new Terminal(
    (text) => (out += text),
    (text) => {
      err += text;
      // It is answered once it was asked.
      if (typeof answer === 'function' && text.endsWith('[y/N] '))
        void answer().then((line) => input.end(line));
    },
    input,
  );
  const code = await runCommandLine(args, { REDIS_URL: url }, terminal);
  return { code, out, err };
}

/** The same with `--json`: what was said is one line of it. */
export async function ask(args: readonly string[], url: string): Promise<{ code: number; json: unknown }> {
  const { code, out, err } = await say([...args, '--json'], url);
  if (!/^\{.*\}\n$/.test(out)) throw new Error(`no line of JSON: ${out}${err}`);
  return { code, json: JSON.parse(out) };
}

const COMMAND = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url));

/** Runs a command in a process of its own, without a terminal. */
export async function runProcess(args: readonly string[], url: string): Promise<Said> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, REDIS_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  return { code: Number(code), out, err };
}
