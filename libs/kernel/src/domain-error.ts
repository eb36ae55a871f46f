/** What kind of refusal an error is; the HTTP status and the CLI's exit code follow from it. */
export type DomainErrorKind =
  'invalid' | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'too-large' | 'quota' | 'unavailable';

/** One thing that is wrong with an input: where, and what. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** In the text that was sent, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * A refusal by the rules of the domain: a stable `code` for programs and a sentence that a user can act on. One by a `quota` ends by itself, and says
 * when: `RefusedForNow`. What is full and stays so until somebody changes something is a `conflict`.
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
    return new DomainError('not-found', 'not_found', `There is no ${what} here that you may see.`);
  }
}

/** A refusal that ends by itself, after so many seconds. */
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
