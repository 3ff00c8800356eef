import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const LOCK_FILES = ['package-lock.json', 'bench/package-lock.json', 'tools/docs/package-lock.json'];

/** npm leaves out the optional packages of other platforms when it writes a lock file beside an installed tree; then `npm ci` refuses the file. */
test.for(LOCK_FILES)('%s has every package that one of its packages names', (file) => {
  const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const missing = Object.entries(packages).flatMap(([path, locked]) =>
    namesOf(locked)
      .filter((name) => !placesOf(path, name).some((place) => place in packages))
      .map((name) => `${name}, for ${path === '' ? 'the project' : path}`),
  );
  expect(missing).toEqual([]);
});

test('a lock file names no place that packages were fetched from', () => {
  for (const file of LOCK_FILES) expect(readFileSync(file, 'utf8')).not.toContain('"resolved"');
});

function namesOf({ dependencies, devDependencies, optionalDependencies }: LockedPackage): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}

/** Where Node would look for a package, from the nearest folder outwards. */
function placesOf(path: string, name: string): string[] {
  const parents = path === '' ? [] : path.split('/node_modules/');
  return [
    ...parents.map(
      (_, depth) => `${parents.slice(0, depth + 1).join('/node_modules/')}/node_modules/${name}`,
    ),
    `node_modules/${name}`,
  ];
}
