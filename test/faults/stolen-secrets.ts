import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SignedResult } from '@assay/contracts/results';
import pg from 'pg';
import { verifyResult } from '../../apps/cli/src/verify/verify-result.js';
import { processFile } from '../../scripts/services/processes.js';
import { signed } from '../factories/models/signed-results.js';
import type { RemoteClient } from './remote-client.js';

/** A text that could be a token (RFC 6750), a password or a key. */
const SECRET = /[\w.~+/-]{20,200}=*/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/g;
/** The place of an image: as uploaded, or rebuilt. */
const IMAGE = /\/artifacts\/|\.tar$/;
/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const WRONG_PASSWORD = '28P01';
/** The score that the evaluator wants. */
const WANTED = 0.999;

/** A request that only an administrator, the owner of a task or the builder of a model may send. */
export interface ProtectedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Everything that an evaluator holds, as a person who controls its host finds it. */
export class Loot {
  /** Everything that could be a secret, besides the content of images. */
  readonly secrets: readonly string[];

  private constructor(
    /** The contents by place. */
    private readonly places: ReadonlyMap<string, Buffer>,
  ) {
    const found = this.texts.flatMap((text) => text.match(SECRET) ?? []);
    this.secrets = [...new Set(found)].filter((text) => /\d/.test(text) && /[a-z]/i.test(text));
  }

  /** Takes the environment of a process and all files below its home. */
  static of(pid: number, home: string): Loot {
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    return new Loot(
      new Map([
        ['environment', Buffer.from(processFile(pid, 'environ'))],
        ...paths.map((path) => [path, readFileSync(path)] as const),
      ]),
    );
  }

  /** Returns the places that contain one of these bytes. */
  placesOf(contents: readonly (Buffer | string)[]): readonly string[] {
    const holds = (bytes: Buffer): boolean => contents.some((content) => bytes.includes(content));
    return [...this.places].flatMap(([place, bytes]) => (holds(bytes) ? [place] : []));
  }

  /** Sends each request with each secret as its token. Returns those that are not refused with 401. */
  async accepted(client: RemoteClient, requests: readonly ProtectedRequest[]): Promise<readonly string[]> {
    const accepted: string[] = [];
    for (const token of this.secrets) {
      for (const { method, path, body } of requests) {
        const { status, text } = await client.send(method, `/api/v1${path}`, { token, ...(body && { json: body }) });
        if (status !== 401) accepted.push(`${method} ${path}: ${status} ${text}`);
      }
    }
    return accepted;
  }

  /** Tries each secret as the password of the user in a database URL. Returns the different outcomes. */
  async logIns(databaseUrl: string): Promise<readonly string[]> {
    const outcomes = new Set<string>();
    for (const password of this.secrets) {
      const client = new pg.Client({ connectionString: Object.assign(new URL(databaseUrl), { password }).href });
      const outcome = await client.connect().then(
        () => 'open',
        (error: unknown) => outcomeOf(error as { readonly code?: string }),
      );
      outcomes.add(outcome);
      await client.end().catch(() => undefined);
    }
    return [...outcomes];
  }

  /**
   * Raises the scores in a signed result, and signs it with every key that the secrets give.
   * @param trusted the response of `GET /signing-key`
   * @returns the codes with which verification refuses the forgeries, and `valid` for those that it accepts
   */
  forgeries(genuine: SignedResult, trusted: string): readonly string[] {
    const { result, signature } = structuredClone(genuine);
    for (const { metrics } of result.evaluations) Object.assign(metrics['accuracy']!, { value: WANTED });
    const codes = this.keys.flatMap((privateKey) => {
      const forged = signed(result, { privateKey, publicKey: createPublicKey(privateKey) });
      // once under its own key, and once under that of the service
      const claimed = { ...forged, signature: { ...signature, value: forged.signature.value } };
      return [forged, claimed].map((each) => verdict(each, trusted));
    });
    return [...new Set([...codes, verdict({ result, signature }, trusted)])].sort();
  }

  /** The contents besides images: those have thousands of words that look like secrets, all of their builders. */
  private get texts(): readonly string[] {
    return [...this.places].flatMap(([place, bytes]) => (IMAGE.test(place) ? [] : [bytes.toString('latin1')]));
  }

  /** The private keys in the secrets, and those that are derived from them in the usual ways. */
  private get keys(): readonly KeyObject[] {
    const seeds = this.secrets.flatMap((secret) => [
      createHash('sha256').update(secret).digest(),
      ...(['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(secret, encoding)),
      Buffer.from(secret).subarray(-SEED_BYTES),
    ]);
    const found = this.texts.flatMap((text) => text.match(PRIVATE_KEY) ?? []);
    return [
      ...seeds.filter(({ length }) => length === SEED_BYTES).map((seed) => ed25519(seed)),
      ...found.map((pem) => createPrivateKey(pem)).filter(({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519'),
    ];
  }
}

/** Returns the forms in which a private key in PEM form could be stored. */
export function formsOf(pem: string): readonly (Buffer | string)[] {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  const seed = der.subarray(-SEED_BYTES);
  const texts = (['hex', 'base64', 'base64url'] as const).map((encoding) => seed.toString(encoding));
  return [der, seed, der.toString('base64'), ...texts];
}

const outcomeOf = ({ code }: { readonly code?: string }): string =>
  code === WRONG_PASSWORD ? 'wrong password' : String(code);

const ed25519 = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

/** Returns the code with which verification refuses a signed result; `valid` if it accepts it. */
export function verdict(file: SignedResult, trusted: string): string {
  try {
    verifyResult(JSON.stringify(file), trusted);
    return 'valid';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}
