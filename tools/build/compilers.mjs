import { join } from 'node:path';
import { ROOT } from './node.runner.mjs';

/** The compiler that builds and checks this repository: TypeScript 7, which takes an eighth of the time. */
export const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');

/** The last compiler in JavaScript. Tools that read sources need its API, and Nest's command comes with it. */
export const TSC_6 = join(ROOT, 'node_modules/typescript/bin/tsc');
