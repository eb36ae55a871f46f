import { buildImage, type PlannedImage } from './image-builder.js';
import type { ImageSource } from './image-recipe.js';

export interface SubmissionImage {
  /** The server: a file of this host or its content. It becomes `/app/server.mjs`. */
  readonly server: ImageSource;
  /** More files: absolute path in the image → source. */
  readonly files?: Readonly<Record<string, ImageSource>>;
  /** Programs among them (paths on this host): the libraries that they link to are added. */
  readonly linked?: readonly string[];
  readonly port?: number;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Writes a submission as `docker save` would, from a Node server, without an engine: for examples and tests.
 *
 * @param path where the docker-archive is written; compressed with zstd if it ends with `.zst`
 * @param tag as a user would have tagged it; the platform never keeps it
 */
export function buildSubmissionImage(
  image: SubmissionImage,
  path: string,
  tag = 'my-model:latest',
): Promise<PlannedImage> {
  const { server, files = {}, linked, port = 8080, command, environment } = image;
  return buildImage(
    {
      name: 'submission',
      layers: [{ files: { ...files, '/app/server.mjs': server }, ...(linked && { linked }) }],
      entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
      workingDirectory: '/app',
      port,
      ...(command && { command }),
      ...(environment && { environment }),
    },
    { path, tag },
  );
}
