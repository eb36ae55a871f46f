import { join } from 'node:path';
import { runCommand } from './command.js';
import { secondsOf } from './spec-seconds.js';
import { specsBelow } from './test-suites.js';

/** The slow tiers, whose tests start whole services. */
export type ServiceTier = 'e2e' | 'faults';

/** The specs of a tier that one Jest process runs. */
export interface TestPart {
  readonly tier: ServiceTier;
  readonly specs: readonly string[];
}

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
  const lanes = Array.from({ length: networks === 'own' ? LANES : 1 }, () => ({
    seconds: 0,
    specs: new Set<string>(),
  }));
  const longestFirst = parts.flatMap(({ specs }) => specs).sort((one, other) => secondsOf(other) - secondsOf(one));
  for (const spec of longestFirst) {
    const shortest = lanes.reduce((least, lane) => (lane.seconds < least.seconds ? lane : least));
    shortest.specs.add(spec);
    shortest.seconds += secondsOf(spec);
  }
  return lanes
    .map((lane) => parts.map(({ tier, specs }) => ({ tier, specs: specs.filter((spec) => lane.specs.has(spec)) })))
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
