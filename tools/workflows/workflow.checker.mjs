/**
 * A step of a job, as far as it is checked.
 * @typedef {object} Step
 * @property {string} [uses]
 * @property {string} [run]
 * @property {Readonly<Record<string, unknown>>} [with]
 */

/** @typedef {Readonly<Record<string, string>>} Permissions */

/**
 * @typedef {object} Job
 * @property {Permissions} [permissions]
 * @property {number | undefined} [timeout-minutes]
 * @property {{ matrix?: Readonly<Record<string, readonly string[]>> }} [strategy]
 * @property {readonly Step[]} [steps]
 */

/**
 * @typedef {object} Workflow
 * @property {unknown} [permissions]
 * @property {Readonly<Record<string, Job>>} [jobs]
 */

/**
 * What a workflow may use.
 * @typedef {object} Offer
 * @property {Readonly<Record<string, string>>} scripts those of package.json
 * @property {string} engines the range of Node in package.json
 * @property {(path: string) => boolean} exists whether the repository has a file
 */

/** A commit, and behind it the version that it had when it was chosen: Dependabot reads and renews both. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** Commands of npm that need no script of ours. */
const NPM = new Set(['ci', 'pack', 'publish', 'sbom', 'install']);
/** Programs of the runner. */
const RUNNER = new Set(['gh', 'mkdir', 'sudo', 'tee']);

/**
 * What is wrong with a workflow.
 * @param {Workflow} workflow
 * @param {string} text its file, for the comments
 * @param {Offer} offer
 * @returns {string[]}
 */
export function checkWorkflow(workflow, text, offer) {
  const jobs = Object.entries(workflow.jobs ?? {});
  return [
    ...checkPermissions(workflow.permissions),
    ...jobs.flatMap(([name, job]) => checkJob(job, text, offer).map((fault) => `${name}: ${fault}`)),
  ];
}

/** @param {unknown} permissions of all jobs that have none of their own */
function checkPermissions(permissions) {
  if (typeof permissions !== 'object' || permissions === null)
    return ['has no list of permissions: GitHub then gives each job those of the repository’s settings'];
  return Object.entries(permissions)
    .filter(([, access]) => access === 'write')
    .map(([scope]) => `grants ${scope}: write to every job; grant it to the job that needs it`);
}

/**
 * @param {Job} job
 * @param {string} text
 * @param {Offer} offer
 */
function checkJob(job, text, offer) {
  const writes = job.permissions?.['contents'] === 'write';
  return [
    ...(job['timeout-minutes'] === undefined
      ? ['has no timeout-minutes: a job that hangs runs for 6 hours']
      : []),
    ...nodesOf(job).flatMap((version) => checkNode(version, offer.engines)),
    ...checkSteps(job.steps ?? [], text, offer),
    ...(job.steps ?? [])
      .filter(({ uses = '' }) => uses.startsWith('actions/checkout@') && !writes)
      .filter((step) => step.with?.['persist-credentials'] !== false)
      .map(() => 'leaves the token in .git, and does not push: set persist-credentials to false'),
  ];
}

/**
 * @param {readonly Step[]} steps of a job, or of an action
 * @param {string} text
 * @param {Offer} offer
 */
export function checkSteps(steps, text, offer) {
  return steps.flatMap(({ uses, run }) => [
    ...(uses === undefined ? [] : checkAction(uses, text, offer)),
    ...(run === undefined ? [] : checkScript(run, offer)),
  ]);
}

/**
 * @param {string} uses
 * @param {string} text
 * @param {Offer} offer
 */
function checkAction(uses, text, { exists }) {
  if (uses.startsWith('./')) return exists(`${uses}/action.yml`) ? [] : [`there is no action ${uses}`];
  if (!PINNED.test(uses)) return [`${uses} is not pinned to a commit`];
  const noted = text
    .split('\n')
    .some((line) => line.includes(uses) && /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line));
  return noted ? [] : [`${uses} has no comment with its version`];
}

/**
 * @param {string} script
 * @param {Offer} offer
 */
function checkScript(script, offer) {
  const injected = /\$\{\{.*?\}\}/.exec(script);
  return [
    // GitHub writes the value into the script, where the shell reads it as code.
    ...(injected === null ? [] : [`${injected[0]} in a script: pass it by env`]),
    ...commandsOf(script).flatMap((command) => checkCommand(command, offer)),
  ];
}

/** @param {string} script */
function commandsOf(script) {
  return script
    .replaceAll('\\\n', ' ')
    .split(/\n|&&|\|\|?|;/)
    .map((command) => command.trim())
    .filter((command) => command !== '' && !command.startsWith('#'));
}

/**
 * @param {string} command
 * @param {Offer} offer
 */
function checkCommand(command, { scripts, exists }) {
  const [program = '', first = '', second = ''] = command.split(/\s+/);
  if (program === 'npm') {
    const script = first === 'run' ? second : first;
    if (first !== 'run' && NPM.has(first)) return [];
    return scripts[script] === undefined ? [`there is no script "${script}"`] : [];
  }
  const file = program === 'node' || program === 'bash' ? first : program;
  if (file.includes('/')) return exists(file) ? [] : [`there is no file ${file}`];
  return RUNNER.has(program) ? [] : [`"${program}" is no script, no file, and no known program`];
}

/**
 * The versions of Node that a job names.
 * @param {Job} job
 */
export function nodesOf(job) {
  const steps = (job.steps ?? []).flatMap((step) => [step.with?.['node'], step.with?.['node-version']]);
  const literal = steps.filter((version) => version !== undefined && !String(version).includes('${{'));
  return [...(job.strategy?.matrix?.['node'] ?? []), ...literal].map(String);
}

/**
 * @param {string} version
 * @param {string} engines
 */
function checkNode(version, engines) {
  const [major = 0, minor = Infinity] = version.split('.').map(Number);
  const [lowestMajor = 0, lowestMinor = 0] = lowestNode(engines).split('.').map(Number);
  const isOld = major < lowestMajor || (major === lowestMajor && minor < lowestMinor);
  return isOld ? [`runs on Node ${version}, and "engines" asks for ${engines}`] : [];
}

/**
 * The oldest Node of a range `>=20.19`.
 * @param {string} engines
 */
export function lowestNode(engines) {
  const lowest = /^>=(?<version>\d+\.\d+)$/.exec(engines)?.groups?.['version'];
  if (lowest === undefined) throw new Error(`"engines.node" is ${engines}, and not ">=MAJOR.MINOR"`);
  return lowest;
}
