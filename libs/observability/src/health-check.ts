import { HealthIndicatorService } from '@nestjs/terminus';

/** The conditions for a process to work, by name. A probe rejects if its condition does not hold. */
export type HealthProbes = Readonly<Record<string, () => Promise<void>>>;

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
