import { type ApiRequest as Content, contentOf } from '../../../scripts/services/api-client.js';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads whatever came
  readonly body: any;
}

export interface ApiRequest extends Content {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one HTTP request. Does not follow redirects. */
export async function apiCall(url: string, method: string, request: ApiRequest = {}): Promise<ApiAnswer> {
  const { token, headers } = request;
  const content = contentOf(request);
  const response = await fetch(url, {
    ...content,
    method,
    redirect: 'manual',
    headers: {
      ...content.headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const text = await response.text();
  const isJson = /\/(?:problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
