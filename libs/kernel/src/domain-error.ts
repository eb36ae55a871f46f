/** The kind of a refusal. The HTTP status and the CLI's exit code follow from it. */
export type DomainErrorKind =
  'invalid' | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'too-large' | 'quota' | 'unavailable';

/** One fault of an input: its location and a message. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** The line in the submitted text, counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * An error that the rules of the domain raise. It has a stable `code` for programs and a message
 * that tells the user what to do. A `quota` error ends by itself and says when: see
 * `RefusedForNow`. A limit that stays reached until somebody changes something is a `conflict`.
 */
export class DomainError extends Error {
  readonly kind: DomainErrorKind;

  constructor(
    kind: Exclude<DomainErrorKind, 'quota'>,
    readonly code: string,
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
    this.kind = kind;
    this.name = 'DomainError';
  }

  static notFound(what: string): DomainError {
    return new DomainError('not-found', 'not_found', `No ${what} found, or you do not have access to it.`);
  }

  /** Returns the function that makes this error, for a lookup that calls it if there is no row. */
  static missing(what: string): () => DomainError {
    return () => DomainError.notFound(what);
  }
}

/** A refusal that ends by itself after `seconds` seconds. */
export class RefusedForNow extends DomainError {
  override readonly kind = 'quota';

  constructor(
    code: string,
    message: string,
    readonly seconds: number,
  ) {
    super('conflict', code, message);
  }
}
