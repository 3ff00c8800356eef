/**
 * Compiles projects by TypeScript 6, each as its command line would: `node typescript.6.compiler.mjs '[{"what","folder","words"}]'`.
 * What does not compile is printed, and fails.
 */
import ts from 'typescript';

const FORMAT = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (/** @type {string} */ name) => name,
  getNewLine: () => '\n',
};

/** @param {readonly string[]} words */
function compile(words) {
  const { options, fileNames, errors } = ts.parseCommandLine(words);
  const program = ts.createProgram({ rootNames: fileNames, options });
  const { diagnostics, emitSkipped } = program.emit();
  const found = [...errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics];
  return { ok: found.length === 0 && !emitSkipped, output: ts.formatDiagnostics(found, FORMAT) };
}

/** @type {readonly { what: string, folder: string, words: readonly string[] }[]} */
const projects = JSON.parse(process.argv[2] ?? '[]');
for (const { what, folder, words } of projects) {
  process.chdir(folder);
  const { ok, output } = compile(words);
  if (ok) continue;
  console.log(`${what} does not compile by TypeScript ${ts.version}:\n${output}`);
  process.exitCode = 1;
}
