import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { apiCall, type ApiAnswer } from '../factories/api-call.js';
import type { ServiceWorld } from '../factories/service-world.js';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const TUS = { 'tus-resumable': '1.0.0' };

/** Ada's upload for one of her models by the tus protocol, one request at a time. */
export class ResumableUpload {
  private url = '';

  constructor(
    private readonly world: ServiceWorld,
    private readonly model: string,
  ) {}

  /** Opens it. @param digest that is announced */
  async create(length: number, digest?: string): Promise<ApiAnswer> {
    const answer = await this.ask('POST', `${this.world.url}/api/v1/models/${this.model}/upload`, {
      'upload-length': String(length),
      ...(digest !== undefined && { 'upload-metadata': `digest ${Buffer.from(digest).toString('base64')}` }),
    });
    this.url = answer.headers.get('location') ?? '';
    return answer;
  }

  /** The bytes that have arrived, as the service says. */
  async offset(): Promise<number> {
    const answer = await this.ask('HEAD', this.url);
    if (answer.status !== 200) throw new Error(`HEAD ${this.url} was answered ${answer.status}`);
    return Number(answer.headers.get('upload-offset'));
  }

  /** Sends all of `bytes` that comes after the first `from`. */
  send(bytes: Uint8Array, from = 0): Promise<ApiAnswer> {
    return this.ask('PATCH', this.url, headersOf(from), bytes.subarray(from));
  }

  /** Announces all of `bytes`, sends the first `count`, and is cut off by `cut` once they have arrived. */
  async sendPart(bytes: Uint8Array, count: number, cut: () => Promise<void>): Promise<void> {
    const authorization = `Bearer ${await this.world.user('ada')}`;
    const headers = { ...TUS, ...headersOf(0), authorization, 'content-length': bytes.length };
    const sending = request(this.url, { method: 'PATCH', headers });
    const closed = new Promise((resolve) => sending.on('error', () => undefined).once('close', resolve));
    sending.write(bytes.subarray(0, count));
    await this.world.until(() => Promise.resolve(statSync(this.file).size === count), 60_000);
    await cut();
    sending.destroy();
    await closed;
  }

  /** Where its bytes lie. */
  get file(): string {
    return join(this.world.home, 'uploads', basename(this.url));
  }

  private async ask(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array,
  ): Promise<ApiAnswer> {
    const token = await this.world.user('ada');
    return apiCall(url, method, { token, headers: { ...TUS, ...headers }, ...(body && { body }) });
  }
}

const headersOf = (from: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/offset+octet-stream',
  'upload-offset': String(from),
});
