import { join } from 'node:path';
import ts from 'typescript';

/** The options that an ioredis of some version has, by its type files. */
export interface OptionNames {
  readonly client: readonly string[];
  readonly cluster: readonly string[];
}

/** @param folder of the package */
export function readOptionNames(folder: string): OptionNames {
  const files = {
    client: join(folder, 'built/redis/RedisOptions.d.ts'),
    cluster: join(folder, 'built/cluster/ClusterOptions.d.ts'),
  };
  const program = ts.createProgram(Object.values(files), { skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const namesOf = (file: string, name: string) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`${file} has no ${name}`);
    return checker
      .getDeclaredTypeOfSymbol(found)
      .getProperties()
      .map((property) => property.name);
  };
  return { client: namesOf(files.client, 'RedisOptions'), cluster: namesOf(files.cluster, 'ClusterOptions') };
}
