/** "npm run check:porcupine": format, `go vet` and `go test` of the program that judges histories. */
import { dirname, join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { expectGo, GO_ENV, SOURCES } from './judge.builder.mjs';

const go = await expectGo();
const commands = [
  { command: join(dirname(go), 'gofmt'), args: ['-l', '.'], isSilent: true },
  { command: go, args: ['vet', './...'], isSilent: true },
  { command: go, args: ['test', './...'], isSilent: false },
];
for (const { command, args, isSilent } of commands) {
  const { ok, output } = await runCommand(command, args, { cwd: SOURCES, env: GO_ENV });
  // gofmt lists what is not formatted, and calls that no error.
  const isClean = ok && (!isSilent || output.trim() === '');
  console.log(`${isClean ? 'ok' : 'FAILED'}: ${[command, ...args].join(' ')} ${output}`.trim());
  if (!isClean) process.exitCode = 1;
}
