/**
 * What the package may weigh. It has grown when a number has to be raised: say in the change what users get for it.
 * `packed` and `unpacked` are in KiB; `dependencies` are those that come along with an installation, without peers.
 */
const BUDGET = { packed: 650, unpacked: 3750, files: 1540, dependencies: 1 };

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */

/** @param {PackageStage} stage */
function measure({ bytes, files, manifest }) {
  return {
    packed: Math.ceil(bytes.packed / 1024),
    unpacked: Math.ceil(bytes.unpacked / 1024),
    files: files.length,
    dependencies: Object.keys(manifest.dependencies ?? {}).length,
  };
}

/**
 * @param {PackageStage} stage
 * @returns {string[]} what is above its budget
 */
export function checkBudget(stage) {
  const measured = measure(stage);
  return /** @type {(keyof typeof BUDGET)[]} */ (Object.keys(BUDGET))
    .filter((name) => measured[name] > BUDGET[name])
    .map(
      (name) => `${name}: ${measured[name]}, and at most ${BUDGET[name]} (tools/package/package.budget.mjs)`,
    );
}

/**
 * @param {PackageStage} stage
 * @returns {string} one line: what an installation brings
 */
export function describeSize(stage) {
  const { packed, unpacked, files, dependencies } = measure(stage);
  const {
    name,
    version,
    dependencies: named = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = stage.manifest;
  const peers = Object.keys(peerDependencies);
  const optional = peers.filter((peer) => peerDependenciesMeta[peer]?.optional);
  return [
    `${name}@${version}: ${packed} KiB packed of ${BUDGET.packed}, ${unpacked} KiB unpacked of ${BUDGET.unpacked}`,
    `${files} files of ${BUDGET.files}`,
    `${dependencies} runtime dependency of ${BUDGET.dependencies} (${Object.keys(named).join(', ')})`,
    `${peers.length - optional.length} peers, ${optional.length} optional ones`,
  ].join('; ');
}
