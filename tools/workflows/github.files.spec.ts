import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// No dependency of ours: typedoc brings it.
import { parse } from 'yaml';
import {
  checkSteps,
  checkWorkflow,
  lowestNode,
  nodesOf,
  type Step,
  type Workflow,
} from './workflow.checker.mjs';

interface Action {
  readonly runs: { readonly steps: readonly Step[] };
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

interface Update {
  readonly 'package-ecosystem': string;
  readonly directory?: string;
  readonly directories?: readonly string[];
}

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly volumes?: readonly string[];
}

const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const OFFER = { scripts, engines: engines.node, exists: existsSync };

const WORKFLOWS = '.github/workflows';
const ACTIONS = '.github/actions';
const FORMS = '.github/ISSUE_TEMPLATE';

test.for(readdirSync(WORKFLOWS))('%s asks for few rights, and all that it runs is there', (file) => {
  const { text, value } = read<Workflow>(`${WORKFLOWS}/${file}`);
  expect(checkWorkflow(value, text, OFFER)).toEqual([]);
});

test.for(readdirSync(ACTIONS))('all that the action %s runs is there', (name) => {
  const { text, value } = read<Action>(`${ACTIONS}/${name}/action.yml`);
  expect(value.runs.steps.length).toBeGreaterThan(0);
  expect(checkSteps(value.runs.steps, text, OFFER)).toEqual([]);
});

test('CI runs .ci/run, on the oldest Node that users may have and on the even versions after it', () => {
  const { value } = read<Workflow>(`${WORKFLOWS}/ci.yml`);
  const { test: job = {} } = value.jobs ?? {};
  expect(job.steps?.map(({ run }) => run)).toContain('.ci/run');
  const oldest = lowestNode(engines.node);
  const major = Number(oldest.split('.')[0]);
  expect(nodesOf(job)).toEqual([oldest, `${major + 2}`, `${major + 4}`, `${major + 6}`]);
});

test.for(['ops/Dockerfile', '.devcontainer/Dockerfile'])('%s is built on a Node that CI runs', (file) => {
  const { value } = read<Workflow>(`${WORKFLOWS}/ci.yml`);
  const version = /^FROM node:(?<version>\d+)-/m.exec(readFileSync(file, 'utf8'))?.groups?.['version'];
  expect(Object.values(value.jobs ?? {}).flatMap(nodesOf)).toContain(version);
});

test('the development container is built from its Dockerfile', () => {
  const { build } = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8'));
  expect(existsSync(`.devcontainer/${build.dockerfile}`)).toBe(true);
});

test('Dependabot finds a manifest in each folder', () => {
  const manifests: Readonly<Record<string, readonly string[]>> = {
    npm: ['package.json'],
    'github-actions': ['action.yml', '.github/workflows'],
    docker: ['Dockerfile'],
    'docker-compose': ['compose.yml'],
    gomod: ['go.mod'],
    maven: ['pom.xml'],
  };
  const { value } = read<{ readonly updates: readonly Update[] }>('.github/dependabot.yml');
  const empty = value.updates.flatMap(({ 'package-ecosystem': ecosystem, directory, directories = [] }) =>
    [...directories, ...(directory === undefined ? [] : [directory])].filter(
      (folder) => !manifests[ecosystem]?.some((file) => existsSync(`.${folder}/${file}`)),
    ),
  );
  expect(value.updates.length).toBeGreaterThan(0);
  expect(empty).toEqual([]);
});

test.for(readdirSync(FORMS).filter((file) => file !== 'config.yml'))(
  'the form %s has what GitHub asks for',
  (file) => {
    const { value } = read<Form>(`${FORMS}/${file}`);
    const fields = value.body.filter(({ type }) => type !== 'markdown');
    const ids = fields.map(({ id }) => id);
    expect([value.name, value.description]).not.toContain(undefined);
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter(({ attributes }) => typeof attributes['label'] !== 'string')).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

test('a report of a bug has what the doctor prints', () => {
  expect(read(`${FORMS}/bug.yml`).text).toContain('`npx nestjs-distributed-lock doctor --json`');
});

test('links of the forms and of the template lead to files', () => {
  const files = [...readdirSync(FORMS).map((file) => `${FORMS}/${file}`), '.github/pull_request_template.md'];
  const links = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\]\(\.\.\/blob\/HEAD\/(?<path>[^)#]+)/g),
  ]);
  expect(links.length).toBeGreaterThan(0);
  expect(links.map(({ groups }) => groups?.['path'] ?? '').filter((path) => !existsSync(path))).toEqual([]);
});

test('what the containers of ops/ are built from, and what they mount, is there', () => {
  const { value } = read<{ readonly services: Readonly<Record<string, Service>> }>('ops/compose.yml');
  const paths = Object.values(value.services).flatMap(({ build, volumes = [] }) => [
    ...(build === undefined ? [] : [`ops/${build.context}/${build.dockerfile}`]),
    ...volumes.map((volume) => `ops/${volume.split(':')[0]}`),
  ]);
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

function read<T>(file: string): { readonly text: string; readonly value: T } {
  const text = readFileSync(file, 'utf8');
  return { text, value: parse(text) };
}
