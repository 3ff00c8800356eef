import type { LockInstance } from '../contracts/fleet.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { instanceName } from '../core/instance.names.js';
import { showInstant } from './job.view.js';
import { prefixHint } from '../command-line/prefix.hint.js';
import { withLocks } from '../command-line/with.locks.js';

const HEADS = ['INSTANCE', 'APP', 'VERSION', 'STARTED', 'SEEN', 'HELD', 'WAITING', 'JOBS ON', 'ID'];

/** `instances`. */
export async function listInstances(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    const instances = await locks.fleet.instances();
    if (line.isJson) terminal.json({ instances });
    else if (instances.length === 0)
      terminal.line(
        `No instance with the prefix "${line.prefix}" reports. An instance does so from 2 s after its start, with this version of the library, unless instanceInfo is false. ${prefixHint}`,
      );
    else terminal.table(HEADS, instances.map(instanceRow));
    return EXIT.done;
  });
}

function instanceRow(instance: LockInstance): string[] {
  const { id, app, version, started, seen, held, waiting, jobs } = instance;
  const on = jobs.filter(({ isOn }) => isOn).length;
  return [
    instanceName(instance),
    app,
    version,
    showInstant(started),
    showInstant(seen),
    `${held}`,
    `${waiting}`,
    `${on} of ${jobs.length}`,
    id,
  ];
}
