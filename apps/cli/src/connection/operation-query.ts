/** The query parameters of an operation, by the generated type of its request. */
type QueryOf<Request extends { readonly query?: object }> = NonNullable<Request['query']>;

/**
 * Returns the query of an operation without the values that are undefined. Texts are sent unchecked:
 * the server reports the errors in them.
 */
export function operationQuery<Request extends { readonly query?: object }>(values: {
  readonly [Name in keyof QueryOf<Request>]?: QueryOf<Request>[Name] | string | undefined;
}): QueryOf<Request> {
  const given = Object.entries<unknown>(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as QueryOf<Request>;
}
