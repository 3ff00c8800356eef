/** Folders of `test/` that run whole programs, or a compiler, beside the library: they need a CPU, and tests with deadlines would be late for them. */
export const PROGRAM_FOLDERS = [
  'bench',
  'cli',
  'consumers',
  'dashboard',
  'demo',
  'docs',
  'ops',
  'schematics',
];
