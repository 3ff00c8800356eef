import { timeImport } from './import.timer.mjs';
import { readLoaded } from './loaded.files.mjs';

/**
 * What the package may weigh. It has grown when a number has to be raised: say in the change what users get for it.
 * `packed` and `unpacked` are in kB, 1000 bytes as npm counts them; `declarations` are the part of `unpacked` that editors read.
 * `dependencies` are those that come along with an installation, without peers.
 * `loaded` and `loadedFiles` are what an import of the package reads of it.
 * `importing` is how often an import may take as long as one of a single file with the same code: 45 ms where that takes 33.
 */
const BUDGET = {
  packed: 586,
  unpacked: 2272,
  declarations: 183,
  files: 121,
  dependencies: 1,
  loaded: 810,
  loadedFiles: 6,
  importing: 1.36,
};

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */

/**
 * @param {PackageStage} stage
 * @param {boolean} hasMachine whether times can be compared here: beside other work they say nothing, so that it is left out
 * @returns {Promise<{ line: string, problems: string[] }>} what an installation brings, and what of it is above its budget
 */
export async function checkBudget(stage, hasMachine) {
  const { bytes, files, manifest } = stage;
  const loaded = await readLoaded(stage);
  const time = hasMachine ? await timeImport(stage, BUDGET.importing) : undefined;
  const measured = {
    packed: Math.ceil(bytes.packed / 1000),
    unpacked: Math.ceil(bytes.unpacked / 1000),
    declarations: Math.ceil(bytes.declarations / 1000),
    files: files.length,
    dependencies: Object.keys(manifest.dependencies ?? {}).length,
    loaded: Math.ceil(loaded.bytes / 1000),
    loadedFiles: loaded.files,
    importing: time === undefined ? 0 : Math.round((time.packed / time.bare) * 100) / 100,
  };
  const names = /** @type {(keyof typeof BUDGET)[]} */ (Object.keys(BUDGET));
  return {
    line: describe(manifest, measured, time),
    problems: names
      .filter((name) => measured[name] > BUDGET[name])
      .map(
        (name) =>
          `${name}: ${measured[name]}, and at most ${BUDGET[name]} (tools/package/package.budget.mjs)`,
      ),
  };
}

/**
 * @param {import('./package.stage.mjs').Manifest} manifest
 * @param {typeof BUDGET} measured
 * @param {{ packed: number, bare: number } | undefined} time
 */
function describe(manifest, measured, time) {
  const { packed, unpacked, declarations, files, dependencies, loaded, loadedFiles } = measured;
  const {
    name,
    version,
    dependencies: named = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifest;
  const peers = Object.keys(peerDependencies);
  const optional = peers.filter((peer) => peerDependenciesMeta[peer]?.optional);
  return [
    `${name}@${version}: ${packed} kB packed of ${BUDGET.packed}, ${unpacked} kB unpacked of ${BUDGET.unpacked}`,
    `${declarations} kB of declarations of ${BUDGET.declarations}`,
    `${files} files of ${BUDGET.files}`,
    `an import reads ${loaded} kB of ${BUDGET.loaded}, in ${loadedFiles} files of ${BUDGET.loadedFiles}`,
    ...(time === undefined
      ? []
      : [
          `imported in ${time.packed.toFixed(1)} ms, a single file with its code in ${time.bare.toFixed(1)} ms`,
        ]),
    `${dependencies} runtime dependency of ${BUDGET.dependencies} (${Object.keys(named).join(', ')})`,
    `${peers.length - optional.length} peers, ${optional.length} optional ones`,
  ].join('; ');
}
