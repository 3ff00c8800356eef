import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];

/** A certificate and its key: files for a server, texts for a client. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority of a test's own, made by openssl. */
export class Authority {
  private constructor(
    private readonly folder: string,
    readonly own: Certificate,
  ) {}

  /** @throws where there is no openssl on PATH */
  static async create(): Promise<Authority> {
    const folder = await mkdtemp(join(tmpdir(), 'authority-'));
    const [certificateFile, keyFile] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
    try {
      const named = ['-days', '2', '-out', certificateFile, '-subj', '/CN=an authority of tests'];
      await run('openssl', ['req', '-x509', ...KEY, keyFile, ...named]);
      return new Authority(folder, await read(certificateFile, keyFile));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** @param whom what the certificate is for, as openssl's subjectAltName: `IP:127.0.0.1`, `DNS:elsewhere.test` */
  async certify(name: string, whom: string): Promise<Certificate> {
    const file = (end: string) => join(this.folder, `${name}.${end}`);
    await writeFile(file('ext'), `subjectAltName=${whom}\n`);
    await run('openssl', ['req', ...KEY, file('key'), '-out', file('csr'), '-subj', `/CN=${name}`]);
    const { certificateFile, keyFile } = this.own;
    const signed = ['-CA', certificateFile, '-CAkey', keyFile, '-CAcreateserial', '-days', '2'];
    await run('openssl', [
      'x509',
      '-req',
      '-in',
      file('csr'),
      ...signed,
      '-extfile',
      file('ext'),
      '-out',
      file('crt'),
    ]);
    return await read(file('crt'), file('key'));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function read(certificateFile: string, keyFile: string): Promise<Certificate> {
  const [certificate, key] = await Promise.all([
    readFile(certificateFile, 'utf8'),
    readFile(keyFile, 'utf8'),
  ]);
  return { certificateFile, keyFile, certificate, key };
}
