/** Records `npm run demo` as the picture of the README: `node tools/docs/demo.recording.mjs` after `npm run build`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../build/node.runner.mjs';
import { drawRecording } from './recording.picture.mjs';

/** In ms: a longer pause, such as that of a build, is shown with this length. */
const LONGEST_PAUSE = 1_500;

/** @type {import('./recording.picture.mjs').ShownLine[]} */
const lines = [{ at: 0, text: '$ npm run demo' }];
const demo = spawn(process.execPath, ['sample-app/demo/main.mjs'], {
  cwd: ROOT,
  env: { ...process.env, NO_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(demo, 'exit');
let last = performance.now();
let at = 0;
for await (const text of createInterface({ input: demo.stdout })) {
  const now = performance.now();
  at += Math.min(now - last, LONGEST_PAUSE);
  last = now;
  lines.push({ at, text });
}
const [code] = await ended;
if (code !== 0) throw new Error('the demo failed: nothing was recorded');
await writeFile(join(ROOT, 'docs/images/demo.svg'), drawRecording(lines));
