import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Text, so that nothing else compiles it: half of it must not compile. */
const CASES = readFileSync(new URL('compile.cases.txt', import.meta.url), 'utf8');
const NAME = fileURLToPath(new URL('compile.cases.ts', import.meta.url));

/** What the compiler says about each line of the cases. */
function compile(): ReadonlyMap<number, string> {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, languageVersion, ...rest) =>
    file === NAME ? ts.createSourceFile(file, CASES, languageVersion) : read(file, languageVersion, ...rest);
  const program = ts.createProgram([NAME], options, host);
  const source = program.getSourceFile(NAME);
  const found = new Map<number, string>();
  for (const { start = 0, messageText } of program.getSemanticDiagnostics(source)) {
    const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
    found.set(line, `${found.get(line) ?? ''}${ts.flattenDiagnosticMessageText(messageText, '\n')}\n`);
  }
  return found;
}

describe('the compiler', () => {
  const found = compile();
  const lines = CASES.split('\n').map((text, line) => ({
    text: text.trim(),
    line,
    expected: /\/\/ error: (.+)$/.exec(text)?.[1],
  }));

  test.each(lines.filter(({ expected }) => expected !== undefined))(
    'refuses $text',
    { timeout: scaled(60_000) },
    ({ line, expected }) => {
      expect(found.get(line)).toContain(expected);
    },
  );

  test('accepts everything else', () => {
    const surprises = lines.filter(({ line, expected }) => expected === undefined && found.has(line));
    expect(surprises.map(({ text, line }) => `${text}\n${found.get(line)}`)).toEqual([]);
  });
});
