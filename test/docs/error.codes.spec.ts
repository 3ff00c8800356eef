import { readFileSync } from 'node:fs';
import type { LockErrorCode } from 'nestjs-distributed-lock';
import { afterEach, expect, test } from 'vitest';
import { helpFor, REMEDIES } from '../../libs/distributed-lock/src/errors/error.table.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { anchorsOf } from './page.links.js';
import { PROVOKED } from './provoked.errors.js';

const PAGE = readFileSync('docs/troubleshooting.md', 'utf8');
const SECTION = /^#### `(?<code>[A-Z_]+)`\n(?<text>.*?)(?=^#|$(?![^]))/gms;

/** The page in the package, with the anchor of a code. */
const ANCHOR = /^node_modules\/nestjs-distributed-lock\/docs\/troubleshooting\.md#[a-z_]+$/;

/** They need a replica, a scheduler that loses its calls, or an application without a client: tests of their own provoke them. */
const PROVOKED_ELSEWHERE = [
  'CLIENT_NOT_INSTALLED',
  'NOT_REPLICATED',
  'REJECTED_BY_REDIS',
  'UNBOUND_SCHEDULE',
  'UNCLEAR_CALL',
];

/** The text below the heading of each code. */
const SECTIONS = new Map(
  [...PAGE.matchAll(SECTION)].map(({ groups }) => [groups?.['code'] ?? '', groups?.['text'] ?? '']),
);

let services: Services | undefined;
afterEach(async () => {
  await services?.close();
  services = undefined;
});

test('every error code has its heading, and so its anchor, in docs/troubleshooting.md, and no other code has', () => {
  const codes = Object.keys(REMEDIES);
  expect([...SECTIONS.keys()].toSorted()).toEqual(codes.toSorted());
  const anchors = anchorsOf(PAGE);
  const linked = Object.keys(REMEDIES).map((code) => helpFor(code as LockErrorCode).split('#')[1] ?? '');
  expect(linked.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

test('every error code is in the table of docs/reference.md', () => {
  const reference = readFileSync('docs/reference.md', 'utf8');
  const listed = new Set(
    [...reference.matchAll(/^\|[^|]*\| `(?<code>[A-Z_]+)` *\|/gm)].map(({ groups }) => groups?.['code']),
  );
  expect(Object.keys(REMEDIES).filter((code) => !listed.has(code))).toEqual([]);
});

test('every code has an example, and causes below it', () => {
  const poor = [...SECTIONS].filter(([, text]) => exampleOf(text) === undefined || !/^- /m.test(text));
  expect(poor.map(([code]) => code)).toEqual([]);
});

test('every code is provoked here or elsewhere', () => {
  const provoked = [...Object.keys(PROVOKED), ...PROVOKED_ELSEWHERE];
  expect(provoked.toSorted()).toEqual(Object.keys(REMEDIES).toSorted());
});

test.for(Object.entries(PROVOKED))(
  'the example of %s is what the library prints',
  { timeout: scaled(20_000) },
  async ([code, provoke]) => {
    const example = exampleOf(SECTIONS.get(code) ?? '') ?? '';
    services = new Services();
    const error: unknown = await provoke(services).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, help: expect.stringMatching(ANCHOR) });
    const message = String(Reflect.get(Object(error), 'message')).replace(services.prefix, 'lock:');
    expect(withoutAccidents(example)).toBe(withoutAccidents(message));
  },
);

function exampleOf(text: string): string | undefined {
  return /^```text\n(?<message>.*)\n```$/m.exec(text)?.groups?.['message'];
}

/** Without what differs from run to run: ids, numbers. */
function withoutAccidents(message: string): string {
  return message.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'uuid').replaceAll(/\d+/g, '#');
}
