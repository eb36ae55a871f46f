import { HealthIndicatorService } from '@nestjs/terminus';

/** The conditions for a process to work, by name. A probe rejects if its condition does not hold. */
export type HealthProbes = Readonly<Record<string, () => Promise<void>>>;

/** Checks the parts that a process needs, and returns all of them with whether each is ready. */
export type HealthParts = () => Promise<readonly { readonly name: string; readonly ready: boolean }[]>;

const indicators = new HealthIndicatorService();

/**
 * Runs all probes concurrently. A probe fails if it does not finish within `milliseconds`.
 * @returns the messages of the probes that failed, by name
 */
export async function failedProbes(probes: HealthProbes, milliseconds = 2000): Promise<ReadonlyMap<string, string>> {
  const results = await Promise.all(
    Object.entries(probes).map(([name, probe]) => indicators.check(name).attempt(probe).withTimeout(milliseconds)),
  );
  const failed = results.flatMap((result) => Object.entries(result)).filter(([, { status }]) => status === 'down');
  return new Map(failed.map(([name, { message }]) => [name, String(message)]));
}

/** Returns the names of all probes, with whether each succeeded. */
export async function healthParts(probes: HealthProbes): ReturnType<HealthParts> {
  const failed = await failedProbes(probes);
  return Object.keys(probes).map((name) => ({ name, ready: !failed.has(name) }));
}
