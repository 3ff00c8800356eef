import { readText, type FileTree, type SchematicContext } from './file.tree.js';
import { lockElement, wireModule } from './module.wiring.js';
import { clientsIn, describeNextSteps } from './next.steps.js';
import { readFacts } from './project.facts.js';
import { readAddress } from './redis.address.js';
import { findRootModule } from './root.finder.js';
import { parseSource } from './parsed.source.js';
import { loadTypeScript } from './typescript.loader.js';

/** What `nest add` passes on, and what its user adds. */
export interface NestAddOptions {
  /** The folder of the sources, from nest-cli.json. @default 'src' */
  readonly sourceRoot?: string;
  /** The address of Redis where REDIS_URL is not set. @default 'redis://localhost:6379' */
  readonly redis?: string;
  /** The file of the module to change. @default what main.ts starts, or app.module.ts */
  readonly module?: string;
}

/**
 * `nest add nestjs-distributed-lock`: wires the module of locks into the application's module. It installs nothing, and changes
 * that one file or none.
 */
export function nestAdd(options: NestAddOptions = {}) {
  return (tree: FileTree, { logger }: SchematicContext): FileTree => {
    const redis = readAddress(options.redis);
    const ts = loadTypeScript(process.cwd());
    if (ts === null)
      throw byHand(
        redis,
        'TypeScript up to version 6, which reads the sources, is not installed here',
        'install it and run this command again',
      );
    const sourceRoot = rooted(options.sourceRoot ?? 'src');
    const root =
      options.module === undefined
        ? findRootModule(ts, tree, sourceRoot)
        : { path: rooted(options.module), className: undefined };
    const source = root === null ? null : readText(tree, root.path);
    if (root === null || source === null)
      throw byHand(redis, `no module was found${root === null ? ` in ${sourceRoot}` : ` at ${root.path}`}`);

    const facts = readFacts(ts, tree, sourceRoot);
    if (facts.wiredIn !== null) {
      logger.info(`DistributedLockModule is imported in ${facts.wiredIn} already: nothing to change.`);
    } else {
      const schedule = facts.packages.has('@nestjs/schedule') && !facts.usesScheduleModule;
      const result = wireModule(parseSource(ts, root.path, source), {
        redis,
        schedule,
        className: root.className,
      });
      if ('reason' in result)
        throw byHand(redis, `${root.path} cannot be changed automatically: ${result.reason}`);
      tree.overwrite(root.path, result.source);
      logger.info(
        `${schedule ? 'ScheduleModule and ' : ''}DistributedLockModule: added to the imports of ${root.path}.`,
      );
    }
    const [client] = clientsIn(facts.packages);
    if (client !== undefined)
      logger.info(`The application connects to Redis with "${client}", which is in package.json.`);
    for (const line of describeNextSteps(facts)) logger.info(line);
    return tree;
  };
}

function rooted(path: string): string {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`.replace(/\/$/, '');
}

function byHand(redis: string, why: string, otherwise = 'pass the file of the module as --module'): Error {
  const element = lockElement(redis, { quote: "'", lastComma: ',' });
  return new Error(
    [
      `${why}. Nothing was changed. Add this by hand, or ${otherwise}:`,
      '',
      "  import { DistributedLockModule } from 'nestjs-distributed-lock';",
      '',
      '  @Module({',
      '    imports: [',
      '      …',
      ...element.map((line, index) => `      ${line.replaceAll('\t', '  ')}${index === 2 ? ',' : ''}`),
      '    ],',
      '  })',
      '',
    ].join('\n'),
  );
}
