import { execFile } from 'node:child_process';

/** For a command that downloads: a source that does not answer must not keep a run waiting; in ms. */
export const DOWNLOADED_WITHIN = 120_000;

/**
 * Runs a command to its end; never rejects. The time limit is for one that hangs: with the lowest priority, beside what needs both
 * CPUs, a command that takes seconds takes minutes.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Readonly<Record<string, string>>, timeout?: number }} [options] `env` is added to ours; `timeout` in ms
 * @returns {Promise<{ ok: boolean, output: string }>} output: both streams, or why it could not run
 */
export function runCommand(command, args, { cwd, env, timeout = 600_000 } = {}) {
  return new Promise((resolve) => {
    const settings = {
      cwd,
      env: { ...process.env, LC_ALL: 'C', ...env },
      timeout,
      maxBuffer: 16 * 1024 * 1024,
    };
    execFile(command, args, settings, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      resolve({ ok: !error, output: error && !output ? error.message : output });
    });
  });
}
