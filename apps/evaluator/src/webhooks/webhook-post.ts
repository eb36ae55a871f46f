import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { addressIn, type WebhookTargets } from '@assay/collection';
import type { ResolveName } from './resolve-name.js';

export interface PostSettings {
  readonly targets: WebhookTargets;
  readonly resolve: ResolveName;
  /** For all of it: name, connection, headers, answer. */
  readonly milliseconds: number;
}

export interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the receiver took it. What it is at fault for, or its network, is a value: nothing throws. */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: string;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'unreached'; readonly problem: string };

/** Of an answer, no more is read. */
const ANSWER_BYTES = 1024;
const HEADER_BYTES = 16 * 1024;

/**
 * Posts to an address that a stranger gave. The name is asked for once, every address that it has must be allowed, and the connection is made to
 * one of those that were judged, whatever the name leads to by then. Follows nothing, inflates nothing, sends no cookie, asks no proxy, and
 * keeps no connection.
 */
export async function postWebhook(request: WebhookRequest, settings: PostSettings): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(settings.milliseconds);
  const problem = settings.targets.problemOf(request.url);
  if (problem !== null) return unreached(problem);
  try {
    const addresses = await addressesOf(request.url, settings, deadline);
    const [address] = addresses;
    if (address === undefined) return unreached('Its name has no address.');
    if (!addresses.every((each) => settings.targets.allows(each)))
      return unreached('Its name leads to an address that is not public.');
    return await posted(request, address, deadline);
  } catch (error) {
    return unreached(deadline.aborted ? `It did not answer within ${settings.milliseconds / 1000} s.` : wordsOf(error));
  }
}

function addressesOf(url: URL, { resolve }: PostSettings, deadline: AbortSignal): Promise<readonly string[]> {
  const address = addressIn(url);
  return address === null ? beforeEnd(resolve(url.hostname, deadline), deadline) : Promise.resolve([address]);
}

async function posted(
  { url, headers, body }: WebhookRequest,
  address: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const isSecure = url.protocol === 'https:';
  const options = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Assay-Webhooks/1',
      'accept-encoding': 'identity',
      ...headers,
    },
    lookup: always(address),
    signal,
    maxHeaderSize: HEADER_BYTES,
  };
  const sent = isSecure
    ? httpsRequest(url, { ...options, agent: new HttpsAgent({ keepAlive: false }) })
    : httpRequest(url, { ...options, agent: new HttpAgent({ keepAlive: false }) });
  try {
    const response = await responseTo(sent, body);
    const answer = await startOf(response, signal);
    return {
      kind: 'answered',
      status: response.statusCode ?? 0,
      answer: shownText(answer),
      retryAfter: response.headers['retry-after'],
    };
  } finally {
    sent.destroy();
  }
}

/** Names the judged address to whoever asks for one: nothing is looked up a second time. */
function always(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, { all }, callback) => {
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function responseTo(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // also after the answer has begun: what comes then has been read, or is not wanted
    sent.on('error', reject);
    sent.once('upgrade', () => reject(new Error('it wants to speak another protocol')));
    sent.end(body);
  });
}

/** The status counts, so an answer that breaks off or never ends is taken as far as it came. */
async function startOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES || signal.aborted) break;
    }
  } catch {
    // as far as it came
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
}

/** Text that commands no terminal, turns nothing around and can be stored. */
const shownText = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');

const unreached = (problem: string): PostOutcome => ({ kind: 'unreached', problem });

function beforeEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    promise.then(resolve, reject);
  });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'It ended the connection.',
  EHOSTUNREACH: 'There is no way to its address.',
  ENETUNREACH: 'There is no way to its address.',
  ENOTFOUND: 'Its name has no address.',
  ENODATA: 'Its name has no address.',
  ETIMEOUT: 'The servers of its name do not answer.',
  ESERVFAIL: 'The servers of its name do not answer.',
  HPE_HEADER_OVERFLOW: 'The headers of its answer are too large.',
};

/** For whoever owns the webhook. Codes are well known; of other errors the words could hold what an answer brought along. */
function wordsOf(error: unknown): string {
  const { code = 'unknown' } = error as { readonly code?: string };
  if (WORDS[code] !== undefined) return WORDS[code];
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(code)) return `Its certificate is not good (${code}).`;
  return /^HPE_/.test(code) ? `Its answer is no HTTP (${code}).` : `It can't be reached (${code}).`;
}
