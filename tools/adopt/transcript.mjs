import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** What is printed while a user's first minutes are acted out: each command, what it says, and how long it took. */
export class Transcript {
  #began = performance.now();

  /** @param {string} text */
  note(text) {
    console.log(`\n# ${text}`);
  }

  /** Minutes since the first command. */
  get minutes() {
    return (performance.now() - this.#began) / 60_000;
  }

  /**
   * Runs a command as a user types it.
   * @param {string} line
   * @param {string} cwd
   * @param {{ env?: Record<string, string>, lines?: number }} [options] `lines`: how many of its last lines are shown
   * @returns {Promise<string>} all that it said
   * @throws where it ends with an error
   */
  async run(line, cwd, { env = {}, lines = 6 } = {}) {
    const started = performance.now();
    console.log(`\n$ ${line}`);
    const child = spawn(line, {
      cwd,
      shell: true,
      // A terminal would be asked questions; without one, what a tool would suggest is taken.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    const code = await new Promise((resolve) => child.once('close', resolve));
    const text = stripVTControlCharacters(said).replaceAll('\r', '\n');
    const shown = text.split('\n').filter((each) => each.trim() !== '' && !/EBADENGINE|npm warn/.test(each));
    if (shown.length > lines) console.log(`  … ${shown.length - lines} more lines`);
    for (const each of shown.slice(-lines)) console.log(`  ${each}`);
    console.log(`  (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${text}`);
    return text;
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  show(name, text) {
    console.log(`\n--- ${name}`);
    console.log(text.trimEnd().replaceAll(/^/gm, '  '));
  }
}
