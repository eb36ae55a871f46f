import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger, type Params, PinoLogger } from 'nestjs-pino';
import { destination, type DestinationStream, stdTimeFunctions } from 'pino';

type Fields = Readonly<Record<string, string | number>>;

const store = new AsyncLocalStorage<Fields>();

/**
 * Runs `work` so that every line it logs carries `fields` (IDs such as request, run or model), in
 * addition to the fields of the enclosing call.
 */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return store.run({ ...store.getStore(), ...fields }, work);
}

/** Returns the fields that a line logged in the current context carries. */
export function logFields(): Fields {
  return store.getStore() ?? {};
}

/** The levels of a Nest logger that `LOG_LEVEL` may name. */
export type LogLevelName = 'debug' | 'log' | 'warn' | 'error';

/**
 * Creates the Nest logger of the process, which writes one JSON line per message. Each line carries
 * the IDs of the current work (see `withLogFields`). A process has one: later calls return a logger
 * with the level and the stream of the first.
 * @param level the lowest level that is written
 * @param stream default: standard error, because standard output is for results
 */
export function createLogger(level: LogLevelName = 'log', stream: DestinationStream = destination(2)): Logger {
  const options = {
    level: level === 'log' ? 'info' : level,
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: logFields,
  };
  const params: Params = { pinoHttp: [options, stream] };
  return new Logger(new PinoLogger(params), params);
}
