/** The variables that an evaluator may get: its own settings and those of its programs. None gives access to data. */
const ALLOWED =
  /^(?:PATH|HOME|TMPDIR|LOG_LEVEL|(?:DOCKER|LD|NODE|OTEL)_\w+|ASSAY_(?:LOCK_SCOPE|RUN_CONCURRENCY|MEASURE_AGAIN|QUIET_SECONDS|ENGINE_SECONDS|PLACEMENTS|(?:MAX|METRICS|PLACEMENT)_\w+))$/;

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns those of an installation's variables that its evaluator gets: neither a database nor a key. */
export const evaluatorVariables = (installation: Variables): Variables =>
  Object.fromEntries(Object.entries(installation).filter(([name]) => ALLOWED.test(name)));
