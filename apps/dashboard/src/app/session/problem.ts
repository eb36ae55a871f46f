import { HttpErrorResponse } from '@angular/common/http';

/** An error for display, in the API's words if it sent problem details (RFC 9457). */
export interface Problem {
  /** A stable code in snake_case; `unreachable` if no response arrived. */
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Converts an error to a problem.
 * @param error The error of a request or a resource, or a problem that the client threw.
 */
export function problemOf(error: unknown): Problem {
  const status = error instanceof HttpErrorResponse ? error.status : 0;
  const body: unknown =
    error instanceof HttpErrorResponse ? decoded(error.error) : ((error as Error | undefined)?.cause ?? error);
  if (isProblem(body)) {
    return { code: body.code, status: body.status ?? status, detail: body.detail, errors: body.errors ?? [] };
  }
  if (error instanceof HttpErrorResponse && status > 0) {
    return { code: 'unexpected', status, detail: $localize`The service answered with ${status}:status:.`, errors: [] };
  }
  if (error instanceof HttpErrorResponse || body instanceof ProgressEvent) {
    const detail = $localize`The service can't be reached. Check your connection, then try again.`;
    return { code: 'unreachable', status: 0, detail, errors: [] };
  }
  return { code: 'unexpected', status, detail: error instanceof Error ? error.message : String(error), errors: [] };
}

/** Returns the body of an error response. A request for bytes receives the body as bytes. */
function decoded(body: unknown): unknown {
  if (!(body instanceof ArrayBuffer)) return body;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

interface ProblemBody {
  readonly code: string;
  readonly detail: string;
  readonly status?: number;
  readonly errors?: Problem['errors'];
}

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as Partial<ProblemBody>).code === 'string' &&
  typeof (body as Partial<ProblemBody>).detail === 'string';
