/**
 * The source of a path in an image: a file or a whole folder of this host, or the content itself.
 */
export type ImageSource = string | { readonly content: string | Buffer; readonly executable?: boolean };

/**
 * A recipe for an image that the platform builds itself: Node and the shared libraries it needs,
 * with `layers` on top. The same files give the same bytes, so images share layers and a tag can be
 * derived from the content.
 */
export interface ImageRecipe {
  /** The repository of the tag, for example `assay/relay`. */
  readonly name: string;
  /**
   * The layers, lowest first. Each maps an absolute path in the image to its source. Symbolic links
   * in folders stay links.
   */
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
  /**
   * Native modules among the files (paths on this host). The libraries that they link to are added,
   * except those of Node.
   */
  readonly linked?: readonly string[];
}
