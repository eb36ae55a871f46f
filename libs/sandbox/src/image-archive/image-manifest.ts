import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

import { z } from 'zod';

import { imageRefused, quoted, Refusal } from '../refusal.js';
import { archiveName, readRange, type TarIndex, type TarRange } from './tar-index.js';

/** A file of the archive, with the name that error messages use. */
export interface ArchivedFile extends TarRange {
  readonly name: string;
  /** The sha256 of its bytes (`sha256:…`), if the archive states it. */
  readonly digest?: string | undefined;
}

/** The single image of an archive that is to run. */
export interface ImageManifest {
  readonly config: Buffer;
  /** The layers from the lowest to the highest, each possibly compressed. */
  readonly layers: readonly ArchivedFile[];
}

/** The most bytes of a manifest, an index or a configuration. */
const DOCUMENT_BYTES = 1024 * 1024;
const DOCUMENTS = 100;
const LAYERS = 127;

const LAYER_TYPES: readonly string[] = [
  'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+gzip',
  'application/vnd.oci.image.layer.v1.tar+zstd',
  'application/vnd.docker.image.rootfs.diff.tar',
  'application/vnd.docker.image.rootfs.diff.tar.gzip',
  'application/vnd.docker.image.rootfs.diff.tar.zstd',
];
const CONFIG_TYPES: readonly string[] = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
];

const Descriptor = z.object({
  mediaType: z.string().optional(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits'),
  urls: z.array(z.string()).nullish(),
  platform: z
    .object({ os: z.string().nullish(), architecture: z.string().nullish(), variant: z.string().nullish() })
    .nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});
type Descriptor = z.infer<typeof Descriptor>;

const SavedImages = z.array(
  z.object({
    Config: z.string(),
    RepoTags: z.array(z.string()).nullish(),
    Layers: z.array(z.string()).nullish(),
    LayerSources: z
      .record(z.string(), z.object({ mediaType: z.string().optional(), urls: z.array(z.string()).nullish() }))
      .nullish(),
  }),
);
const IndexOrManifest = z.object({
  manifests: z.array(Descriptor).nullish(),
  config: Descriptor.nullish(),
  layers: z.array(Descriptor).nullish(),
});
const Platform = z.object({ os: z.string().nullish(), architecture: z.string().nullish() });

/**
 * Finds the linux/amd64 image in the output of `docker save` or in an OCI image layout.
 * @throws Refusal if there is not exactly one, or if the archive is malformed
 */
export async function readImageManifest(file: FileHandle, index: TarIndex): Promise<ImageManifest> {
  const documents = new Documents(file, index);
  const manifest = index.files.has('manifest.json')
    ? await savedImage(documents)
    : index.files.has('index.json')
      ? await layoutImage(documents)
      : undefined;
  if (manifest === undefined) throw noImage(index);

  if (manifest.layers.length === 0) throw imageRefused('The image has no layers.');
  if (manifest.layers.length > LAYERS) {
    throw imageRefused(`The image has ${manifest.layers.length} layers; the limit is ${LAYERS}.`);
  }
  return manifest;
}

async function savedImage(documents: Documents): Promise<ImageManifest> {
  const saved = await documents.parse('manifest.json', SavedImages);
  const found = new Map<string, string>();
  const images = new Map<string, { config: Buffer; image: z.infer<typeof SavedImages>[number] }>();
  for (const image of saved) {
    const config = await documents.bytes(archiveName(image.Config), digestIn(image.Config));
    const platform = platformOf(config, image.Config);
    found.set(archiveName(image.Config), image.RepoTags?.join(', ') || image.Config);
    if (platform === 'linux/amd64') images.set(archiveName(image.Config), { config, image });
    else found.set(archiveName(image.Config), platform);
  }
  if (saved.length === 0) throw new Refusal('not_an_image', 'manifest.json lists no image.');
  if (images.size === 0) throw wrongArchitecture([...found.values()]);
  if (images.size > 1) throw severalImages([...images.keys()].map((name) => found.get(name)!));

  const [{ config, image }] = [...images.values()] as [{ config: Buffer; image: (typeof saved)[number] }];
  for (const source of Object.values(image.LayerSources ?? {})) checkLayerType(source);
  return { config, layers: (image.Layers ?? []).map((name) => documents.find(archiveName(name), blobDigest(name))) };
}

async function layoutImage(documents: Documents): Promise<ImageManifest> {
  const found: string[] = [];
  const images = new Map<string, ImageManifest & { readonly name: string }>();
  const visited = new Set<string>();
  await visit('index.json', undefined);
  if (images.size === 0) {
    if (found.length === 0) throw new Refusal('not_an_image', 'index.json refers to no image.');
    throw wrongArchitecture(found);
  }
  if (images.size > 1) throw severalImages([...images.values()].map(({ name }) => name));
  return [...images.values()][0]!;

  async function visit(name: string, from: Descriptor | undefined): Promise<void> {
    const document = await documents.parse(name, IndexOrManifest, from?.digest);
    for (const descriptor of document.manifests ?? []) {
      if (isAttestation(descriptor)) continue;
      const platform = descriptor.platform;
      if (platform?.os && platform.architecture && `${platform.os}/${platform.architecture}` !== 'linux/amd64') {
        found.push(`${platform.os}/${platform.architecture}`);
        continue;
      }
      // an image is listed once per name
      if (visited.has(descriptor.digest)) continue;
      visited.add(descriptor.digest);
      await visit(blobName(descriptor), descriptor);
    }
    // other content (a chart, a signature) is skipped
    if (!document.config || (document.config.mediaType && !CONFIG_TYPES.includes(document.config.mediaType))) return;

    const config = await documents.bytes(blobName(document.config), document.config.digest);
    const platform = platformOf(config, blobName(document.config));
    if (platform !== 'linux/amd64') {
      found.push(platform);
      return;
    }
    for (const layer of document.layers ?? []) checkLayerType(layer);
    const layers = (document.layers ?? []).map((layer) => documents.find(blobName(layer), layer.digest));
    images.set(document.config.digest, {
      config,
      layers,
      name: from?.annotations?.['io.containerd.image.name'] ?? name,
    });
  }
}

/** Reads the small files of an archive whole: at most 100, and at most 1 MiB each. */
class Documents {
  private count = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly index: TarIndex,
  ) {}

  find(name: string, digest?: string): ArchivedFile {
    const range = this.index.files.get(name);
    if (range !== undefined) return { name, ...range, digest };
    if (!this.index.complete) {
      throw new Refusal('archive_truncated', `The archive ends early. ${quoted(name)} is missing.`);
    }
    throw imageRefused(`The image needs ${quoted(name)}, which is not in the archive.`);
  }

  async bytes(name: string, digest?: string): Promise<Buffer> {
    const range = this.find(name);
    if (range.size > DOCUMENT_BYTES) {
      throw imageRefused(`${quoted(name)} has ${range.size} bytes; the limit is ${DOCUMENT_BYTES}.`);
    }
    if (++this.count > DOCUMENTS) {
      throw imageRefused(`The archive has more than ${DOCUMENTS} manifests and configurations.`);
    }
    const bytes = await readRange(this.file, range);
    if (digest !== undefined && digest !== `sha256:${createHash('sha256').update(bytes).digest('hex')}`) {
      throw imageRefused(`${quoted(name)} does not have the digest that its name states.`);
    }
    return bytes;
  }

  async parse<T>(name: string, schema: z.ZodType<T>, digest?: string): Promise<T> {
    return parseDocument(await this.bytes(name, digest), name, schema);
  }
}

/**
 * Parses a JSON document.
 * @throws Refusal if `bytes` are not JSON or do not match `schema`
 */
export function parseDocument<T>(bytes: Buffer, name: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Refusal('not_an_image', `${quoted(name)} is not JSON.`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const where = issue.path.length > 0 ? ` at ${quoted(issue.path.join('.'))}` : '';
  throw new Refusal('not_an_image', `${quoted(name)} is not valid${where}: ${issue.message}.`);
}

function platformOf(config: Buffer, name: string): string {
  const { os, architecture } = parseDocument(config, name, Platform);
  return `${os || 'linux'}/${architecture || 'unknown'}`;
}

function checkLayerType({
  mediaType,
  urls,
}: {
  mediaType?: string | undefined;
  urls?: string[] | null | undefined;
}): void {
  if (urls && urls.length > 0) {
    throw imageRefused(`A layer is stored outside the archive, at ${quoted(urls[0]!)}. Include it in the image.`);
  }
  if (mediaType === undefined || LAYER_TYPES.includes(mediaType)) return;
  const foreign = mediaType.includes('foreign') || mediaType.includes('nondistributable');
  throw imageRefused(
    foreign
      ? `A layer is a foreign layer (${quoted(mediaType)}). Include it in the image.`
      : `A layer has the media type ${quoted(mediaType)}, which is not a type of layer.`,
  );
}

/**
 * Returns whether this is an attestation, which `docker buildx` adds to record how an image was
 * built.
 */
function isAttestation(descriptor: Descriptor): boolean {
  return (
    descriptor.annotations?.['vnd.docker.reference.type'] === 'attestation-manifest' ||
    descriptor.platform?.architecture === 'unknown'
  );
}

function blobName({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}

/**
 * Returns the digest in the file name of a saved configuration: Docker and other tools write
 * `<digest>.json`, `blobs/sha256/<digest>` or `sha256:<digest>`.
 */
function digestIn(name: string): string | undefined {
  const digest = /^(?:blobs\/sha256\/|sha256:)?([0-9a-f]{64})(?:\.json)?$/.exec(archiveName(name))?.[1];
  return digest === undefined ? undefined : `sha256:${digest}`;
}

function blobDigest(name: string): string | undefined {
  const digest = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(archiveName(name))?.[1];
  return digest === undefined ? undefined : `sha256:${digest}`;
}

function wrongArchitecture(found: readonly string[]): Refusal {
  const platforms = [...new Set(found)].slice(0, 10).map((platform) => platform.slice(0, 60));
  return new Refusal(
    'wrong_architecture',
    `The image is for ${platforms.join(', ')}; models run on linux/amd64. Build it with \`docker buildx build --platform linux/amd64\`.`,
  );
}

function severalImages(names: readonly string[]): Refusal {
  const shown = names.slice(0, 5).map(quoted).join(', ');
  return imageRefused(`The archive has ${names.length} images (${shown}). Save only one.`);
}

function noImage(index: TarIndex): Refusal {
  if (!index.complete) {
    return new Refusal('archive_truncated', 'The archive ends before a manifest.json or an index.json.');
  }
  const names = [...index.files.keys()].slice(0, 3).map(quoted).join(', ');
  return new Refusal(
    'not_an_image',
    `The tar has neither a manifest.json nor an index.json${names === '' ? '' : `; it starts with ${names}`}. ` +
      '`docker save` writes an image (`docker export` does not).',
  );
}
