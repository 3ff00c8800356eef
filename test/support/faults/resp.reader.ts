/** A value of the Redis protocol, versions 2 and 3, as far as it is looked at here. */
export type RespValue = string | null | readonly RespValue[];

/** One whole message, and the very bytes that it came in. */
export interface RespFrame {
  /** `>`: a push, which answers no command. */
  readonly type: string;
  readonly value: RespValue;
  readonly bytes: Buffer;
}

const LINE_END = '\r\n';
const BLOBS = '$=!';
const LISTS = '*~>';
const MAPS = '%|';

/** Cuts a stream of bytes into messages of the Redis protocol. */
export class RespReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Takes in what has arrived, and gives the messages that are complete. */
  read(chunk: Buffer): RespFrame[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: RespFrame[] = [];
    let from = 0;
    for (let parsed = parse(bytes, from); parsed !== undefined; parsed = parse(bytes, from)) {
      const type = bytes.toString('latin1', from, from + 1);
      frames.push({ type, value: parsed.value, bytes: bytes.subarray(from, parsed.end) });
      from = parsed.end;
    }
    this.#rest = bytes.subarray(from);
    return frames;
  }
}

interface Parsed {
  readonly value: RespValue;
  readonly end: number;
}

/** @returns undefined when the message is not complete */
function parse(bytes: Buffer, from: number): Parsed | undefined {
  const lineEnd = bytes.indexOf(LINE_END, from);
  if (lineEnd === -1) return undefined;
  const type = bytes.toString('latin1', from, from + 1);
  const line = bytes.toString('utf8', from + 1, lineEnd);
  const next = lineEnd + LINE_END.length;
  if (BLOBS.includes(type)) {
    const length = Number(line);
    if (length < 0) return { value: null, end: next };
    const end = next + length + LINE_END.length;
    return end > bytes.length ? undefined : { value: bytes.toString('utf8', next, next + length), end };
  }
  if (LISTS.includes(type))
    return Number(line) < 0 ? { value: null, end: next } : parseItems(bytes, next, Number(line));
  if (MAPS.includes(type)) return parseItems(bytes, next, Number(line) * 2);
  return { value: type === '_' ? null : line, end: next };
}

function parseItems(bytes: Buffer, from: number, count: number): Parsed | undefined {
  const items: RespValue[] = [];
  let end = from;
  for (let index = 0; index < count; index += 1) {
    const item = parse(bytes, end);
    if (item === undefined) return undefined;
    items.push(item.value);
    end = item.end;
  }
  return { value: items, end };
}
