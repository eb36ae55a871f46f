import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Settings = z.object({
  /** The default server. */
  url: z.string().optional(),
  /** Tokens by server URL. A token is never sent to another server. */
  tokens: z.record(z.string(), z.string()).default({}),
});
export type Settings = z.infer<typeof Settings>;

/** Returns the user's configuration folder of the CLI. */
export const configFolder = (): string => join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'assay');

export const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'assay');

export async function readSettings(): Promise<Settings> {
  const text = await readFile(join(configFolder(), 'config.json'), 'utf8').catch(() => '{}');
  return Settings.parse(JSON.parse(text));
}

export const writeSettings = (settings: Settings): Promise<void> =>
  writePrivately(join(configFolder(), 'config.json'), settings);

/** Replaces the file atomically, with permissions for its owner only. */
export async function writePrivately(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
