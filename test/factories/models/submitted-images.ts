import { createHash } from 'node:crypto';

import { type Header, pack } from 'tar-stream';

export type Entry = Partial<Omit<Header, 'size'>> & { readonly name: string; readonly content?: string | Buffer };

/** Returns a tar of `entries` as they are, without any checks. */
export async function tarOf(entries: Iterable<Entry>): Promise<Buffer> {
  const tar = pack();
  const parts: Buffer[] = [];
  const collected = (async () => {
    for await (const part of tar) parts.push(part as Buffer);
  })();
  for (const { content, ...header } of entries) {
    const bytes = Buffer.from(content ?? '');
    await new Promise<void>((resolve, reject) => {
      tar.entry({ ...header, size: bytes.length }, bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
  tar.finalize();
  await collected;
  return Buffer.concat(parts);
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface ImageLayer {
  /** The uncompressed tar. */
  readonly tar: Buffer;
  /** The bytes in the archive; default: the tar itself. */
  readonly packed?: Buffer;
  readonly mediaType?: string;
  readonly urls?: readonly string[];
}

export interface ImageParts {
  readonly layers: readonly ImageLayer[];
  readonly config?: Record<string, unknown>;
  readonly architecture?: string;
  readonly diffIds?: readonly string[];
  readonly tags?: readonly string[];
}

/** Returns the configuration of an image, with every field that a builder may write. */
export function configOf({ layers, config, architecture = 'amd64', diffIds }: ImageParts): string {
  return JSON.stringify({
    architecture,
    os: 'linux',
    created: '2024-01-01T00:00:00Z',
    config: config ?? { Cmd: ['/serve'] },
    rootfs: { type: 'layers', diff_ids: diffIds ?? layers.map(({ tar }) => `sha256:${sha256(tar)}`) },
    history: layers.map((_, index) => ({ created_by: `RUN ${index}` })),
  });
}

/** Returns the files that `docker save` wrote until Docker 24, with manifest.json last. */
export function savedImageFiles(image: ImageParts): Entry[] {
  const config = configOf(image);
  const names = image.layers.map((layer, index) => `${index}${sha256(layer.tar).slice(1)}/layer.tar`);
  return [
    ...image.layers.flatMap(({ tar, packed }, index) => [
      { name: `${names[index]!.slice(0, -10)}/`, type: 'directory' as const },
      { name: names[index]!, content: packed ?? tar },
    ]),
    { name: `${sha256(config)}.json`, content: config },
    {
      name: 'manifest.json',
      content: JSON.stringify([{ Config: `${sha256(config)}.json`, RepoTags: image.tags ?? ['m:1'], Layers: names }]),
    },
  ];
}

type Descriptor = Record<string, unknown>;

/**
 * Returns the blobs of an image in an OCI layout, its descriptor for an index, and one descriptor
 * per tag, as containerd writes them.
 */
export function layoutBlobs(image: ImageParts): {
  readonly files: Entry[];
  readonly descriptor: Descriptor;
  readonly tagged: readonly Descriptor[];
} {
  const config = configOf(image);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: `sha256:${sha256(config)}` },
    layers: image.layers.map(({ tar, packed = tar, mediaType, urls }) => ({
      mediaType: mediaType ?? 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${sha256(packed)}`,
      size: packed.length,
      ...(urls && { urls }),
    })),
  });
  const blobs = [Buffer.from(config), Buffer.from(manifest), ...image.layers.map(({ tar, packed }) => packed ?? tar)];
  const descriptor = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    digest: `sha256:${sha256(manifest)}`,
    size: manifest.length,
    platform: { os: 'linux', architecture: image.architecture ?? 'amd64' },
  };
  const tagged = (image.tags ?? []).map((tag) => ({
    ...descriptor,
    annotations: { 'io.containerd.image.name': tag, 'org.opencontainers.image.ref.name': tag.split(':').at(-1)! },
  }));
  return {
    files: blobs.map((content) => ({ name: `blobs/sha256/${sha256(content)}`, content })),
    descriptor,
    tagged,
  };
}

/** Returns the files of an OCI image layout whose index.json lists `descriptors`. */
export function layoutFiles(files: readonly Entry[], descriptors: readonly Record<string, unknown>[]): Entry[] {
  return [
    { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: 'index.json', content: JSON.stringify({ schemaVersion: 2, manifests: descriptors }) },
    ...files,
  ];
}
