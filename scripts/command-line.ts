import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Exit code for a usage error (sysexits.h of BSD). */
const EX_USAGE = 64;

/**
 * Parses the command line of a script. Prints the usage and ends the process if `--help` is given,
 * or with an error if the arguments are invalid.
 */
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

/** @param why a complete sentence */
export function refuseUsage(usage: string, why: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(EX_USAGE);
}

/**
 * Returns the entries that are named on the command line, or all if none is. Ends the process with
 * an error if a name is unknown.
 * @param kind what the entries are, such as "benchmark"
 */
export function chosen<T extends { readonly name: string }>(
  usage: string,
  kind: string,
  entries: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.filter((name) => !entries.some((entry) => entry.name === name));
  if (unknown.length > 0) refuseUsage(usage, `Unknown ${kind}: ${unknown.join(', ')}.`);
  return entries.filter(({ name }) => names.length === 0 || names.includes(name));
}
