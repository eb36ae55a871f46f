import { createHash } from 'node:crypto';
import { layerTar, nodeLayer, recipeLayer, type LayerEntry } from './image-layers.js';
import type { ImageRecipe } from './image-recipe.js';
import { type Pieces, type TarEntry, tarPieces, writePieces } from './tar-pieces.js';

/** A platform image before it is written. */
export interface PlannedImage {
  /**
   * The sha256 (hex) of the configuration. As the configuration contains the digests of all layers,
   * this identifies the whole content.
   */
  readonly digest: string;
  /**
   * Digests (`sha256:…`) of the uncompressed layers, lowest first, as in the engine's
   * `RootFS.Layers`.
   */
  readonly layers: readonly string[];
  readonly configuration: Buffer;
  readonly contents: readonly PlannedLayer[];
}

interface PlannedLayer {
  readonly entries: readonly LayerEntry[];
  /** The sha256 of the tar, in hex. */
  readonly digest: string;
  /** The size of the tar, in bytes. */
  readonly size: number;
}

export interface ImageDestination {
  /** The path of the docker-archive; compressed with zstd if it ends with `.zst`. */
  readonly path: string;
  /** The only tag in the archive. */
  readonly tag: string;
  /**
   * Layers (`sha256:…`) that the engine already has. Their bytes are left out, so only that engine
   * can load the archive.
   */
  readonly without?: ReadonlySet<string>;
}

/** Reads every file of the recipe once to compute the digests. Writes nothing. */
export async function planImage(recipe: ImageRecipe): Promise<PlannedImage> {
  const contents = [
    await plannedOnce(NODE, nodeLayer),
    ...(await Promise.all(recipe.layers.map((layer) => plannedOnce(layer, () => recipeLayer(layer))))),
  ];
  const layers = contents.map(({ digest }) => `sha256:${digest}`);
  const configuration = Buffer.from(JSON.stringify(configurationOf(recipe, layers)));
  return { digest: createHash('sha256').update(configuration).digest('hex'), layers, configuration, contents };
}

/**
 * Builds an image without an engine or a registry: writes a docker-archive to `to.path`, in the
 * format of `docker save`.
 */
export async function buildImage(recipe: ImageRecipe, to: ImageDestination): Promise<PlannedImage> {
  const image = await planImage(recipe);
  await writeImage(image, to);
  return image;
}

/**
 * Writes a planned image as a docker-archive: the manifest and configuration first, then the
 * layers.
 */
export async function writeImage(image: PlannedImage, { path, tag, without }: ImageDestination): Promise<void> {
  await writePieces(path, tarPieces(archiveEntries(image, tag, without ?? new Set())));
}

function* archiveEntries(image: PlannedImage, tag: string, without: ReadonlySet<string>): Generator<TarEntry> {
  const manifest = [
    {
      Config: `${image.digest}.json`,
      RepoTags: [tag],
      Layers: image.contents.map(({ digest }) => `${digest}/layer.tar`),
    },
  ];
  const index = Buffer.from(JSON.stringify(manifest));
  yield archiveEntry('manifest.json', [index], index.length);
  yield archiveEntry(`${image.digest}.json`, [image.configuration], image.configuration.length);

  const written = new Set<string>();
  for (const { entries, digest, size } of image.contents) {
    if (written.has(digest) || without.has(`sha256:${digest}`)) continue;
    written.add(digest);
    yield archiveEntry(`${digest}/layer.tar`, layerTar(entries), size);
  }
}

const archiveEntry = (name: string, content: Pieces, size: number): TarEntry => ({
  header: { name, mtime: new Date(0), type: 'file', mode: 0o644, size },
  content,
});

function configurationOf(recipe: ImageRecipe, layers: readonly string[]): object {
  const { entrypoint, command, environment = {}, workingDirectory = '/', port, labels } = recipe;
  return {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      Entrypoint: entrypoint,
      ...(command && { Cmd: command }),
      Env: Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...environment }).map(
        ([name, value]) => `${name}=${value}`,
      ),
      WorkingDir: workingDirectory,
      ...(port !== undefined && { ExposedPorts: { [`${String(port)}/tcp`]: {} } }),
      ...(labels && { Labels: labels }),
    },
    rootfs: { type: 'layers', diff_ids: layers },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'assay' })),
  };
}

/** Stands for Node's layer: 130 MB that every image has. */
const NODE = {};

/** By the layer of a recipe, because many images share layers. */
const planned = new WeakMap<object, Promise<PlannedLayer>>();

/** Plans a layer once per process, unless that fails. */
function plannedOnce(layer: object, entries: () => Promise<readonly LayerEntry[]>): Promise<PlannedLayer> {
  const plan = planned.get(layer) ?? entries().then(measured);
  planned.set(layer, plan);
  plan.catch(() => planned.delete(layer));
  return plan;
}

async function measured(entries: readonly LayerEntry[]): Promise<PlannedLayer> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of layerTar(entries)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { entries, digest: hash.digest('hex'), size };
}
