import { buildImage, type ImageRecipe } from '@assay/sandbox/docker';

type ImageSource = ImageRecipe['layers'][number]['files'][string];

export interface SubmissionImage {
  /**
   * The server, as the path of a file on this host or as its content. It becomes `/app/server.mjs`.
   */
  readonly server: ImageSource;
  /** Additional files: absolute path in the image → source. */
  readonly files?: Readonly<Record<string, ImageSource>>;
  /**
   * Programs among the files (paths on this host); the shared libraries that they link to are
   * added.
   */
  readonly linked?: readonly string[];
  readonly port?: number;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Builds a submission from a Node server in the format of `docker save`, without an engine. For
 * examples and tests.
 *
 * @param path where the docker-archive is written; compressed with zstd if it ends with `.zst`
 *
 * @param tag the tag that a user would have chosen; the platform never keeps it
 */
export function buildSubmissionImage(image: SubmissionImage, path: string, tag = 'my-model:latest') {
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
