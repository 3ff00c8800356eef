/** A stack that is written as text when somebody reads it, and costs little until then. */
export interface CallStack {
  stack?: string;
}

/** Where the library's files are, as stacks name them. */
let ownFolder: string | undefined;

/** The stack of the caller of `below`. Its text is not made before {@link placeOf} needs it. */
export function callStack(below: (...args: never[]) => unknown): CallStack {
  const call: CallStack = {};
  Error.captureStackTrace(call, below);
  return call;
}

/** The first place of a stack that is no file of this library, or of Node; undefined where the stack does not reach so far. */
export function placeOf({ stack = '' }: CallStack): string | undefined {
  ownFolder ??= folderOf(framesOf(callStackHere())[0]);
  const own = ownFolder;
  const frame = framesOf(stack).find(
    (text) => !text.includes('node:') && !(own !== undefined && text.includes(own)) && /:\d+\)?$/.test(text),
  );
  return frame?.replace(/^async /, '');
}

function callStackHere(): string {
  return new Error('here').stack ?? '';
}

function framesOf(stack: string): string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .map((line) => line.slice(3));
}

/** Two levels up from this file; undefined in a bundle, whose files are one. */
function folderOf(frame = ''): string | undefined {
  return /((?:\w+:\/\/)?[^\s()]*[\\/])errors[\\/]call\.place\.[cm]?[jt]s/.exec(frame)?.[1];
}
