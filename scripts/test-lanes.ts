import { join } from 'node:path';
import { runCommand } from './command.js';
import { distributed, specsBelow } from './test-suites.js';

/** The slow tiers, whose tests start whole services. */
export type ServiceTier = 'e2e' | 'faults';

/** The specs of a tier that one Jest process runs. */
export interface TestPart {
  readonly tier: ServiceTier;
  readonly specs: readonly string[];
}

/**
 * Usual duration in seconds of a spec that starts a service and checks one thing, with two others
 * on two cores.
 */
const USUAL = 20;

/**
 * Approximate durations, in seconds, of the specs that differ from the usual one. With them all
 * lanes take about the same time.
 */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 45,
  'test/e2e/collection.spec.ts': 71,
  'test/e2e/dashboard-submit.spec.ts': 42,
  'test/e2e/dashboard.spec.ts': 290,
  'test/e2e/hatecheck.spec.ts': 5,
  'test/e2e/image-archive.spec.ts': 5,
  'test/e2e/redis.spec.ts': 53,
  'test/e2e/measures.spec.ts': 26,
  'test/e2e/onnx-runner.spec.ts': 7,
  'test/e2e/operations.spec.ts': 50,
  'test/e2e/perturbations.spec.ts': 23,
  'test/e2e/probes/probes.spec.ts': 285,
  'test/e2e/psutil.spec.ts': 8,
  'test/e2e/qa-predictions.spec.ts': 5,
  'test/e2e/sandbox-driver.spec.ts': 65,
  'test/e2e/up.spec.ts': 188,
  'test/faults/dockerd.spec.ts': 7,
  'test/faults/evaluators.spec.ts': 140,
  'test/faults/outages.spec.ts': 49,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;

/**
 * Returns the spec files of the tier that CI runs, as paths in the project. Excludes those that
 * only the release check runs.
 */
export function specsOf(tier: ServiceTier): readonly string[] {
  return specsBelow(join('test', tier)).filter((spec) => !spec.endsWith('.release.spec.ts'));
}

/** Services mostly wait: on two cores three lanes are faster than two. */
const LANES = 3;

/**
 * Distributes the specs over lanes that take about the same time. The parts of a lane run one after
 * another. Evaluators in the same network wait for each other before they measure, so lanes need
 * separate networks; without those there is only one lane.
 */
export function lanesOf(parts: readonly TestPart[], networks: 'own' | 'common'): readonly (readonly TestPart[])[] {
  const specsOfAll = parts.flatMap(({ specs }) => specs);
  return distributed(specsOfAll, networks === 'own' ? LANES : 1, secondsOf)
    .map((lane) => parts.map(({ tier, specs }) => ({ tier, specs: specs.filter((spec) => lane.includes(spec)) })))
    .map((lane) => lane.filter(({ specs }) => specs.length > 0))
    .filter((lane) => lane.length > 0);
}

/** Wraps the command in a network namespace that has only a loopback interface. */
export function inOwnNetwork(command: string, parameters: readonly string[]): readonly [string, readonly string[]] {
  return ['unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', command, ...parameters]];
}

/** Returns whether this process can create network namespaces. */
export async function canMakeNetworks(): Promise<boolean> {
  const { code } = await runCommand(...inOwnNetwork('true', []));
  return code === 0;
}
