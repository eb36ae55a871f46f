import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Of a command that was given what it does not know (BSD's sysexits). */
const EX_USAGE = 64;

/** What a script was given. Ends it with its usage where that is asked for (`--help`), or where it does not know what it was given. */
export function commandLine<T extends NonNullable<ParseArgsConfig['options']>>(usage: string, options: T) {
  const known = { ...options, help: { type: 'boolean' } } as const;
  try {
    const given = parseArgs({ options: known, allowPositionals: true });
    if (!(given.values as { readonly help?: boolean }).help) return given;
  } catch (error) {
    return refuseUsage(usage, (error as Error).message);
  }
  console.log(usage);
  process.exit(0);
}

/** @param why a sentence */
export function refuseUsage(usage: string, why: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(EX_USAGE);
}
