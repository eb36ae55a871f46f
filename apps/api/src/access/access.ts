import { TOKEN_SCOPES, type TokenScope } from '@assay/contracts/identity';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: RouteAccess;
  }
}

/**
 * The classes of requests by their approximate cost in CPU time. Each class has its own budget.
 * `costly`: thousands of rows, a file, or figures that are computed for the caller. `live`: a model
 * answers. `sign-in`: a password is hashed, or an attacker could guess secrets. `evaluator`: an
 * evaluator works.
 */
export const REQUEST_CLASSES = ['read', 'costly', 'change', 'upload', 'live', 'sign-in', 'evaluator'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** The kinds of uploaded files. */
export const FILE_KINDS = ['artifact', 'dataset', 'round', 'answers'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** The requests of a route that crowd workers may send. */
export interface CrowdAccess {
  /** The object in the URL, which must belong to the worker's session. */
  readonly own: 'session' | 'task' | 'round' | 'context' | 'annotation' | 'validation';
  /** The required state of the session. `any` includes onboarding and finished sessions. */
  readonly state: 'working' | 'any';
}

/** The properties of a route that guards, limits and hooks read. */
export interface RouteAccess {
  /** Default: `read` for GET, HEAD and OPTIONS, `change` for other methods. */
  readonly cost?: RequestClass;
  /**
   * The smallest scope that a token needs, or the scope by method if the handler has several.
   * Default: `all`. GET, HEAD and OPTIONS always need `read` only.
   */
  readonly scope?: TokenScope | Readonly<Record<string, TokenScope>>;
  /** Default: crowd workers may not use the route. */
  readonly crowd?: CrowdAccess;
  /**
   * True: only evaluators may use the route, with their own tokens, which are valid nowhere else. Its
   * cost is `evaluator`.
   */
  readonly evaluator?: true;
  /**
   * True: an account that is not verified may use the route although it changes something, in the
   * registration mode `mail`. Default: such an account may only read.
   */
  readonly unverified?: true;
  /** The body is a file, which is streamed whatever its content type. Default: it is parsed. */
  readonly stream?: FileKind;
  /**
   * `any`: the query may have any keys, because others create and extend the URL of the page: a crowd
   * platform or an OpenID provider. Default: unknown keys are rejected.
   */
  readonly query?: 'any';
  /** `reported`: the response reports invalid YAML. Default: the request is rejected. */
  readonly badYaml?: 'reported';
}

/** Declares the access of a route. Fastify stores it in the configuration of the route. */
export const Access = (access: RouteAccess): MethodDecorator => RouteConfig({ access });

/** Returns the access that the route of a request declares. Works in every hook and guard. */
export const accessOf = ({ routeOptions }: FastifyRequest): RouteAccess => routeOptions.config.access ?? {};

const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns whether requests with this method change nothing (RFC 9110, 9.2.1). */
export const isReading = (method: string): boolean => READING_METHODS.includes(method);

/**
 * Returns the class of a request.
 * @param declared the class that its route declares
 */
export const classOf = (method: string, declared: RouteAccess['cost']): RequestClass =>
  declared ?? (isReading(method) ? 'read' : 'change');

/**
 * Returns the smallest scope that a token needs for a request.
 * @param declared the scope that its route declares. A route that changes something and declares
 *   none needs `all`, so that a new route is closed to smaller scopes by default.
 */
export function scopeOf(method: string, declared: RouteAccess['scope']): TokenScope {
  if (isReading(method)) return 'read';
  return (typeof declared === 'object' ? declared[method] : declared) ?? 'all';
}

/**
 * Throws if the account must be verified before it may send the request.
 * @throws DomainError `mail_unconfirmed`
 */
export function requireConfirmedMail({ role, isVerified }: Principal, method: string, access: RouteAccess): void {
  // crowd workers have no mail address
  if (isVerified || role === 'crowd' || access.unverified || scopeOf(method, access.scope) === 'read') return;
  throw new DomainError(
    'forbidden',
    'mail_unconfirmed',
    'Your mail address is not confirmed, so you can only read. Open the link that was mailed to you, or request another under "Account".',
  );
}

/** @throws DomainError `scope_missing` */
export function requireScope({ scope }: Principal, needed: TokenScope): void {
  if (TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)) return;
  throw new DomainError(
    'forbidden',
    'scope_missing',
    `This operation requires the "${needed}" scope; your token has "${scope}". Create a token with that scope, or sign in.`,
  );
}
