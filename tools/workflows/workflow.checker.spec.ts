import { expect, test } from 'vitest';
import { checkWorkflow, lowestNode, type Job, type Workflow } from './workflow.checker.mjs';

const CHECKOUT = `actions/checkout@${'a'.repeat(40)}`;
const TEXT = `- uses: ${CHECKOUT} # v7.0.1\n`;
const OFFER = {
  scripts: { build: '' },
  engines: '>=20.19',
  exists: (path: string) => path === '.ci/run' || path === './.github/actions/setup/action.yml',
};
const SOUND: Job = {
  'timeout-minutes': 10,
  strategy: { matrix: { node: ['20.19', '22'] } },
  steps: [
    { uses: CHECKOUT, with: { 'persist-credentials': false } },
    { uses: './.github/actions/setup', with: { node: '${{ matrix.node }}' } },
    { run: 'npm ci\nnpm run build -- --minutes 1 | tee "$RUNNER_TEMP/report.txt"\n.ci/run' },
  ],
};

test('a sound workflow has no fault', () => {
  expect(faultsOf({ permissions: { contents: 'read' }, jobs: { test: SOUND } })).toEqual([]);
});

test.for<[string, unknown, string]>([
  ['no permissions', undefined, 'has no list of permissions'],
  ['all permissions', 'write-all', 'has no list of permissions'],
  ['a permission to write for every job', { contents: 'write' }, 'grants contents: write to every job'],
])('%s are a fault of a workflow', ([, permissions, fault]) => {
  expect(faultsOf({ permissions, jobs: { test: SOUND } })).toEqual([expect.stringContaining(fault)]);
});

test.for<[string, Partial<Job>, string]>([
  ['a job without an end', { 'timeout-minutes': undefined }, 'no timeout-minutes'],
  ['a Node below the oldest', { strategy: { matrix: { node: ['20.18'] } } }, 'runs on Node 20.18'],
  [
    'an old Node of a step',
    { steps: [{ uses: './.github/actions/setup', with: { node: 18 } }] },
    'runs on Node 18',
  ],
  ['a tag', { steps: [{ uses: 'actions/setup-node@v7' }] }, 'actions/setup-node@v7 is not pinned'],
  [
    'a commit without a version',
    { steps: [{ uses: `a/b@${'b'.repeat(40)}` }] },
    'no comment with its version',
  ],
  ['an action that is not there', { steps: [{ uses: './.github/actions/none' }] }, 'there is no action'],
  ['a token that stays', { steps: [{ uses: CHECKOUT }] }, 'leaves the token in .git'],
  [
    'a value in a script',
    { steps: [{ run: 'gh issue view ${{ github.event.issue.title }}' }] },
    'pass it by env',
  ],
  ['a script that is not there', { steps: [{ run: 'npm run nothing' }] }, 'there is no script "nothing"'],
  ['a test that is not there', { steps: [{ run: 'npm test' }] }, 'there is no script "test"'],
  [
    'a file that is not there',
    { steps: [{ run: 'node tools/nothing.mjs' }] },
    'there is no file tools/nothing.mjs',
  ],
  [
    'a missing file behind another command',
    { steps: [{ run: 'npm ci && ./run' }] },
    'there is no file ./run',
  ],
  ['an unknown program', { steps: [{ run: 'mkdir a\nmake' }] }, '"make" is no script'],
])('%s is a fault of a job', ([, part, fault]) => {
  const jobs = { test: { ...SOUND, ...part } };
  expect(faultsOf({ permissions: { contents: 'read' }, jobs })).toEqual([expect.stringContaining(fault)]);
});

test('a job that pushes keeps its token', () => {
  const job: Job = { ...SOUND, permissions: { contents: 'write' }, steps: [{ uses: CHECKOUT }] };
  expect(faultsOf({ permissions: {}, jobs: { test: job } })).toEqual([]);
});

test('a range of Node that cannot be read is refused', () => {
  expect(() => lowestNode('^20')).toThrow('"engines.node" is ^20');
});

function faultsOf(workflow: Workflow): string[] {
  return checkWorkflow(workflow, TEXT, OFFER);
}
