import { posix } from 'node:path';

import { z } from 'zod';

import { imageRefused, quoted } from '../refusal.js';
import type { ImageConfiguration } from './docker-archive-writer.js';
import { parseDocument } from './image-manifest.js';

/**
 * The part of a configuration that the platform keeps (`kept`), and the facts that it reads from
 * the rest.
 */
export interface SubmittedConfiguration {
  readonly kept: ImageConfiguration;
  /** The sha256 of each layer's uncompressed tar (`sha256:…`), lowest layer first. */
  readonly diffIds: readonly string[];
  /** The single TCP port of EXPOSE, or 8080 if there is not exactly one. */
  readonly port: number;
  /** The value of the label `assay.protocol`. */
  readonly protocol: string | null;
}

/**
 * Container folders that belong to the kernel or the container runtime. A file descriptor that the
 * runtime opened under /proc leads out of the container (CVE-2024-21626), and /dev/fd is a link
 * into /proc.
 */
export const KERNEL_FOLDERS = ['/proc', '/dev', '/sys'] as const;

const DEFAULT_PORT = 8080;
const PATH_LENGTH = 1024;

const text = z.string().refine((value) => !value.includes('\0'), 'contains a NUL');
/** A list of words, or the single string that old builders wrote. */
const words = z.union([z.array(text), text.transform((value) => (value === '' ? [] : [value]))]).nullish();

const Config = z.object({
  config: z
    .object({
      Entrypoint: words,
      Cmd: words,
      Env: z.array(text).nullish(),
      WorkingDir: text.nullish(),
      ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
      Labels: z.record(z.string(), z.string()).nullish(),
    })
    .nullish(),
  rootfs: z.object({ diff_ids: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is not a sha256')).nullish() }),
});

/**
 * Reads an image configuration.
 * @param command the submission's command, which replaces that of the image
 * @throws Refusal if the configuration is malformed or cannot be used
 */
export function readImageConfig(bytes: Buffer, command: readonly string[] | undefined): SubmittedConfiguration {
  const { config, rootfs } = parseDocument(bytes, 'the configuration of the image', Config);
  const kept = {
    Entrypoint: config?.Entrypoint ?? [],
    Cmd: config?.Cmd ?? [],
    Env: (config?.Env ?? []).filter((variable) => variable.indexOf('=') > 0),
    WorkingDir: workingDirectory(config?.WorkingDir ?? ''),
  };
  if (kept.Entrypoint.length === 0 && kept.Cmd.length === 0 && !command?.length) {
    throw imageRefused(
      'The image has neither an ENTRYPOINT nor a CMD, and the submission gives no command. Set one of them.',
    );
  }
  return {
    kept,
    diffIds: rootfs.diff_ids ?? [],
    port: exposedPort(Object.keys(config?.ExposedPorts ?? {})),
    protocol: config?.Labels?.['assay.protocol'] ?? null,
  };
}

function workingDirectory(name: string): string {
  if (name === '') return '';
  const path = posix.normalize(name);
  if (path.length > PATH_LENGTH) {
    throw imageRefused(`WORKDIR has ${path.length} characters; the limit is ${PATH_LENGTH}.`);
  }
  if (!posix.isAbsolute(path)) throw imageRefused(`WORKDIR is ${quoted(name)}; it must be an absolute path.`);
  const kernel = KERNEL_FOLDERS.find((folder) => path === folder || path.startsWith(`${folder}/`));
  if (kernel !== undefined) throw imageRefused(`WORKDIR is ${quoted(name)}; it must not be under ${kernel}.`);
  return path;
}

function exposedPort(exposed: readonly string[]): number {
  const ports = exposed
    .map((port) => /^(\d{1,5})(?:\/tcp)?$/.exec(port)?.[1])
    .map(Number)
    .filter((port) => port >= 1 && port <= 65_535);
  return ports.length === 1 ? ports[0]! : DEFAULT_PORT;
}
