import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageFailure } from '../command-failure.js';
import { tokenIn } from './secrets.js';
import { readSettings } from './settings.js';

export interface ServerOptions {
  readonly url?: string;
  /** Where the token is: a file, or `-` for standard input. */
  readonly token?: string;
}

/** A server, and as whom to speak to it. */
export interface Server {
  /** Without a slash at the end, and without `/api/v1`. */
  readonly url: string;
  readonly token?: string;
}

/**
 * Which server is meant: what the command says, then ASSAY_URL and ASSAY_TOKEN, then what `assay login` kept, then the
 * installation in the current folder, whose administrator's token is taken from its home.
 */
export async function chooseServer(options: ServerOptions): Promise<Server> {
  const settings = await readSettings();
  const named = options.url ?? (process.env['ASSAY_URL'] || settings.url);
  const url = serverUrl(named ?? (await installationAddress()));
  const token =
    (options.token === undefined ? undefined : await tokenIn(options.token)) ??
    (process.env['ASSAY_TOKEN'] ||
      (settings.tokens[url] ?? (isThisMachine(url) ? await installationFile('admin-token') : null)));
  return { url, ...(token && { token }) };
}

/** @throws CommandFailure where it is no address */
export function serverUrl(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageFailure(`"${text}" is not the address of a server, such as https://assay.example.org.`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** Reads a file in the home of the installation in the current folder, without the final line break. Null if there is none. */
export async function installationFile(name: string): Promise<string | null> {
  const text = await readFile(join(process.env['ASSAY_HOME'] || '.assay', name), 'utf8').catch(() => '');
  return text.trim() || null;
}

async function installationAddress(): Promise<string> {
  const standard = `http://localhost:${process.env['PORT'] || 8080}`;
  const text = await installationFile('up.json');
  try {
    const { address } = JSON.parse(text ?? '{}') as { address?: unknown };
    return typeof address === 'string' ? address : standard;
  } catch {
    return standard;
  }
}

function isThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
