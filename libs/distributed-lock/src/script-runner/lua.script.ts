/** A script as the build embeds it, with the declarations of its header. */
export interface LuaScript {
  /** `<kind>/<verb>` */
  readonly name: string;
  readonly sha1: string;
  readonly text: string;
  /** Whether one call takes many operations. */
  readonly batch: boolean;
  readonly keysPerOperation: number;
  readonly sharedArgs: number;
  readonly argsPerOperation: number;
}
