/**
 * "node tools/test/side.by.side.mjs format:check 'test:unit -- -t lease'": runs npm scripts at the same time. The output of each is
 * printed as a whole when it has ended, with the time that it took. Fails when one of them does, and ends with the names of those.
 */
import { spawn } from 'node:child_process';
import { ROOT } from '../build/node.runner.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * @param {string} script its name, and its arguments
 * @returns {Promise<boolean>} whether it ended with 0
 */
function run(script) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(NPM, ['run', '--silent', ...script.split(' ')], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {Buffer[]} */
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => printed.push(data));
    child.once('error', (error) => printed.push(Buffer.from(`${error.message}\n`)));
    child.once('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(Buffer.concat([Buffer.from(`== ${script}\n`), ...printed]));
      console.log(`== ${script} ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s`);
      resolve(code === 0);
    });
  });
}

const scripts = process.argv.slice(2);
const results = await Promise.all(scripts.map(run));
const failed = scripts.filter((_, index) => !results[index]);
if (failed.length > 0 || scripts.length === 0) {
  console.error(`FAILED: ${failed.join(', ') || 'no script is named'}`);
  process.exitCode = 1;
}
