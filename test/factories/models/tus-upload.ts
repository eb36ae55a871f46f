import { request } from 'node:http';
import { apiCall, type ApiAnswer } from '../worlds/api-call.js';

const TUS = { 'tus-resumable': '1.0.0' };

/** An upload by the tus protocol, one request at a time. */
export class TusUpload {
  protected url = '';

  /** @param uploads The URL at which uploads are created. */
  constructor(
    private readonly uploads: string,
    private readonly token: string,
  ) {}

  /**
   * Creates the upload.
   * @param digest The digest to announce in the metadata.
   */
  async create(length: number, digest?: string): Promise<ApiAnswer> {
    const answer = await this.ask('POST', this.uploads, {
      'upload-length': String(length),
      ...(digest !== undefined && { 'upload-metadata': `digest ${Buffer.from(digest).toString('base64')}` }),
    });
    this.url = new URL(answer.headers.get('location') ?? '', this.uploads).href;
    return answer;
  }

  /** Asks the service for the progress of the upload. */
  progress(): Promise<ApiAnswer> {
    return this.ask('HEAD', this.url);
  }

  /** Returns the number of bytes that the service has received. */
  async offset(): Promise<number> {
    const answer = await this.progress();
    if (answer.status !== 200) throw new Error(`HEAD ${this.url} was answered ${answer.status}`);
    return offsetOf(answer);
  }

  /** Sends `bytes` starting at `from`. */
  send(bytes: Uint8Array, from = 0): Promise<ApiAnswer> {
    return this.ask('PATCH', this.url, headersOf(from), bytes.subarray(from));
  }

  /**
   * Announces `bytes` from `from` on, but sends only up to `end`. Breaks the connection when `cut`
   * resolves.
   */
  async sendPart(
    bytes: Uint8Array,
    { from = 0, end }: { readonly from?: number; readonly end: number },
    cut: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const headers = { ...TUS, ...headersOf(from), authorization: `Bearer ${this.token}` };
    const sending = request(this.url, {
      method: 'PATCH',
      headers: { ...headers, 'content-length': bytes.length - from },
    });
    const closed = new Promise((resolve) => sending.on('error', () => undefined).once('close', resolve));
    await new Promise((resolve) => void sending.write(bytes.subarray(from, end), resolve));
    await cut();
    sending.destroy();
    await closed;
  }

  private ask(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array,
  ): Promise<ApiAnswer> {
    return apiCall(url, method, { token: this.token, headers: { ...TUS, ...headers }, ...(body && { body }) });
  }
}

export const offsetOf = ({ headers }: ApiAnswer): number => Number(headers.get('upload-offset'));

const headersOf = (from: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/offset+octet-stream',
  'upload-offset': String(from),
});
