/** Where the bytes of a path in an image come from: a file or a folder of this host (taken whole), or the content itself. */
export type ImageSource = string | { readonly content: string | Buffer; readonly executable?: boolean };

/**
 * An image that the platform builds itself: Node and the shared libraries it needs, and `layers` above it. The same files
 * give the same bytes, so images share their layers and a tag can be made of the content.
 */
export interface ImageRecipe {
  /** The repository of the tag, e.g. `assay/relay`. */
  readonly name: string;
  /** Lowest first; each maps an absolute path in the image to its source. Symbolic links in folders stay links. */
  readonly layers: readonly ImageLayer[];
  readonly entrypoint: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** The port of `EXPOSE`. */
  readonly port?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ImageLayer {
  readonly files: Readonly<Record<string, ImageSource>>;
  /** Native modules among the files (paths on this host): what they link to and Node does not is added beside them. */
  readonly linked?: readonly string[];
}
