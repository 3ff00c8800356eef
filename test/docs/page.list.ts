import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the documentation, named by its path from the root of the repository. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const SINGLE = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'SUPPORT.md',
  '.changeset/README.md',
  'sample-app/README.md',
  'sample-app/playground/README.md',
  'bench/README.md',
];

/** Folders whose pages, also in folders below, belong to the documentation. */
const FOLDERS = ['docs', 'ops'];

/** Every page that a reader can come to, in a fixed order. */
export function listPages(root = '.'): Page[] {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
  return [...SINGLE, ...below.toSorted()].flatMap((path) => {
    const text = readIfThere(join(root, path));
    return text === undefined ? [] : [{ path, text }];
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
