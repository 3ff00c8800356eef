import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const OXLINT = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint');

/** The diagnostics of oxlint, as far as they are read here. */
interface OxlintReport {
  readonly diagnostics: readonly {
    readonly filename: string;
    readonly code?: string;
    readonly message: string;
    readonly help?: string;
  }[];
}

/** Many small libraries in one temporary folder, all linted at once with the repository's own configuration. */
export class LintFixture {
  readonly #folder = mkdtempSync(join(tmpdir(), 'house-'));
  #findings: string[] = [];
  #linterFailed = false;
  #houseFailed = false;

  constructor() {
    cpSync(join(ROOT, '.oxlintrc.json'), join(this.#folder, '.oxlintrc.json'));
  }

  /** @param file from the root; `src/` stands for the source folder of a library of this case alone */
  write(testCase: string, file: string, text: string): void {
    const path = join(this.#folder, placeOf(testCase, file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Does what `npm run lint` does. */
  lint(): void {
    const linter = this.#run(OXLINT, '--deny-warnings', '--format=json');
    const house = this.#run(join(ROOT, 'tools/lint/check-house.mjs'), this.#folder);
    const report = JSON.parse(linter.stdout) as OxlintReport;
    this.#findings = report.diagnostics.map(({ filename, code, message, help }) =>
      [filename.replaceAll('\\', '/'), code, message, help].join(' '),
    );
    this.#findings.push(...house.stderr.split('\n'));
    this.#linterFailed = linter.status !== 0;
    this.#houseFailed = house.status !== 0;
  }

  get bothFailed(): boolean {
    return this.#linterFailed && this.#houseFailed;
  }

  get houseFailed(): boolean {
    return this.#houseFailed;
  }

  /** What was found in the files of a case. */
  findingsOf(testCase: string): string[] {
    return this.#findings.filter((finding) => finding.includes(`/${caseFolder(testCase)}/`));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(script: string, ...args: string[]) {
    return spawnSync(process.execPath, [script, ...args], { cwd: this.#folder, encoding: 'utf8' });
  }
}

function placeOf(testCase: string, file: string): string {
  const [top = '', ...rest] = file.split('/');
  const folder = caseFolder(testCase);
  return top === 'src' ? join('libs', folder, file) : join(top, folder, ...rest);
}

function caseFolder(testCase: string): string {
  return `case-${testCase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}
