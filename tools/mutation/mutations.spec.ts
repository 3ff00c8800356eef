import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS } from './mutations.mjs';

const ROOT = join(import.meta.dirname, '../..');

test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  'the text that "%s" changes stands in its file once',
  (_, { file, from }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2);
  },
);
