import { describe, expect, test } from 'vitest';
import { readLine } from './command.line.js';

const read = (line: string, env: NodeJS.ProcessEnv = { REDIS_URL: 'redis://env' }) =>
  readLine(line.split(' ').filter(Boolean), env);

describe('a command line', () => {
  test('has defaults, in ms', () => {
    expect(read('ls')).toEqual({
      command: 'ls',
      name: '',
      words: [],
      redis: 'redis://env',
      prefix: 'lock:',
      timeout: 3000,
      pubsub: 'auto',
      isJson: false,
      isStrict: false,
      isSure: false,
      isForced: false,
      limit: 1000,
      wait: 0,
      lease: undefined,
      kind: 'reentrant',
      grace: 5000,
      port: 4242,
      isReadOnly: false,
    });
  });

  test.each([
    [['show', '--', '-a'], '-a'],
    [['unlock', '--name=-a', '--yes'], '-a'],
    [['runs', '--', '--json'], '--json'],
    [['run', '--name=--', '--', 'true'], '--'],
  ])('takes a name that begins with a dash: %j', (args, name) => {
    expect(readLine([...args.slice(0, 1), '--redis', 'redis://x', ...args.slice(1)], {})).toMatchObject({
      name,
    });
  });

  test('passes what is behind -- to the command that is run', () => {
    expect(
      read('run x --wait 10s --kind fair --lease 1m -- npm run --silent migrate -- --dry'),
    ).toMatchObject({
      name: 'x',
      words: ['npm', 'run', '--silent', 'migrate', '--', '--dry'],
      wait: 10_000,
      lease: 60_000,
      kind: 'fair',
    });
    expect(read('run x --wait forever -- true').wait).toBe(Infinity);
  });

  test('takes a URL from the line before that of the environment', () => {
    expect(read('doctor rediss://line').redis).toBe('rediss://line');
    expect(read('doctor --redis redis://option').redis).toBe('redis://option');
    expect(read('doctor').redis).toBe('redis://env');
  });

  test('needs no Redis for --help and --version', () => {
    expect(read('--help', {}).command).toBe('help');
    expect(read('run --help', {}).command).toBe('help');
    expect(read('-v', {}).command).toBe('version');
  });

  test.each([
    ['', 'Give a command.'],
    ['lick', 'Unknown command "lick". The commands are doctor, ls,'],
    ['show', 'show needs the name of a lock.'],
    ['runs', 'runs needs the name of a job.'],
    ['show a b', 'show accepts one name, but there is also "b".'],
    ['ls a', 'ls accepts no name, but there is also "a".'],
    [
      'jobs redis://:secret@there',
      'jobs accepts no name, but there is also an address: give it with --redis.',
    ],
    ['show a rediss://there', 'show accepts one name, but there is also an address: give it with --redis.'],
    ['run a', 'run needs a command after " -- ".'],
    ['show a -- b', 'show accepts nothing after " -- ".'],
    ['ls --yes', 'ls has no option --yes.'],
    ['ls --no-such', "Unknown option '--no-such'"],
    ['ls --limit 0', '--limit must be a whole number of at least 1, not "0".'],
    ['run a --kind odd -- b', '--kind must be one of reentrant, fair, read, write, fenced, not "odd".'],
    ['run a --wait soon -- b', '--wait must be a number of milliseconds or a string like "30s", not "soon".'],
  ])('with "%s" is refused', (line, message) => {
    expect(() => read(line)).toThrow(message);
  });

  test('is refused without a URL, and with what is none, which it does not repeat', () => {
    expect(() => read('ls', {})).toThrow('Give the address of Redis');
    expect(() => read('ls --redis http://user:s3cret@host')).toThrow(/^(?!.*s3cret).*must be a URL/);
  });

  test.each(['localhost:6379', 'redis-1', '6379', 'user:s3cret@host:6380', '/run/redis.sock', '[::1]:6379'])(
    'takes the address %s, as the module does',
    (address) => {
      expect(read(`ls --redis ${address}`).redis).toBe(address);
    },
  );
});
