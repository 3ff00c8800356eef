/** "npm run docs:api": the reference of the public API from its docstrings, as HTML in dist/api. A gap in them is an error. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';

const SOURCE = join(ROOT, 'libs/distributed-lock/src');
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The sources of what package.json exports: a new subpath is documented with the others. */
const entryPoints = Object.values(exports)
  .map((target) => /^\.\/dist\/esm\/(?<path>.+)\.js$/.exec(target?.import?.default ?? '')?.groups?.['path'])
  .filter((path) => path !== undefined)
  .map((path) => join(SOURCE, `${path}.ts`));

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'nestjs-distributed-lock',
  entryPoints,
  basePath: SOURCE,
  tsconfig: join(ROOT, 'libs/distributed-lock/tsconfig.lib.json'),
  out: join(ROOT, 'dist/api'),
  readme: 'none',
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  hideGenerator: true,
  // The type check is the build's.
  skipErrorChecking: true,
  githubPages: false,
  sort: ['kind', 'source-order'],
  validation: { notDocumented: true, notExported: true, invalidLink: true },
  treatWarningsAsErrors: true,
  // Types of the implementation, which a reader needs no name for.
  intentionallyNotExported: ['Unit', 'REMEDIES', 'BusyAnswer', 'Fit', 'AnyMethod', 'Installed'],
};
