/** What is used of a schematic's tree: the files of the user's project, changed all at once when the schematic has succeeded. */
export interface FileTree {
  read(path: string): { toString(): string } | null;
  overwrite(path: string, content: string): void;
  getDir(path: string): FileFolder;
}

export interface FileFolder {
  readonly subdirs: readonly string[];
  readonly subfiles: readonly string[];
}

/** What is used of a schematic's context. */
export interface SchematicContext {
  readonly logger: { info(message: string): void };
}

const NEVER_SOURCE = /^(?:node_modules|dist|coverage|\..*)$/;

/** @returns the file's text, or null where there is none */
export function readText(tree: FileTree, path: string): string | null {
  return tree.read(path)?.toString() ?? null;
}

/** @returns the paths of all sources below a folder, without what is built and what is installed */
export function listSources(tree: FileTree, folder: string): string[] {
  const { subdirs, subfiles } = tree.getDir(folder);
  const join = (name: string) => (folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`);
  return [
    ...subfiles.filter((name) => /\.[cm]?[jt]s$/.test(name)).map(join),
    ...subdirs.filter((name) => !NEVER_SOURCE.test(name)).flatMap((name) => listSources(tree, join(name))),
  ];
}
