import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { type Environment } from '@assay/contracts';
import { TaskLimits } from '@assay/contracts/tasks';
import { formatBytes } from '@assay/contracts/text';
import { DomainError, type Problem } from '@assay/kernel';

/**
 * The largest value that this service allows for each limit of a task, in bytes, cores, processes
 * and seconds.
 */
export type Ceilings = Omit<TaskLimits, 'tolerance'>;

export const CEILINGS = Symbol('Ceilings');

/** The environment variable that sets each ceiling. */
const SETTINGS = {
  memory: 'ASSAY_MAX_MEMORY',
  cpus: 'ASSAY_MAX_CPUS',
  pids: 'ASSAY_MAX_PIDS',
  startSeconds: 'ASSAY_MAX_START_SECONDS',
  requestSeconds: 'ASSAY_MAX_REQUEST_SECONDS',
  evaluationSeconds: 'ASSAY_MAX_EVALUATION_SECONDS',
  artifact: 'ASSAY_MAX_ARTIFACT',
  unpacked: 'ASSAY_MAX_UNPACKED',
} as const satisfies Record<keyof Ceilings, keyof Environment>;

const KEYS = Object.keys(SETTINGS) as (keyof Ceilings)[];
const BYTES: ReadonlySet<keyof Ceilings> = new Set(['memory', 'artifact', 'unpacked']);
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;
const MOST_PIDS = 4096;

/** The environment variables that set ceilings. */
type CeilingVariables = Pick<Environment, (typeof SETTINGS)[keyof Ceilings]>;

/** The ceilings that the operator has set; undefined if not set. */
type ConfiguredCeilings = { readonly [K in keyof Ceilings]: Ceilings[K] | undefined };

export const configuredCeilings = (environment: CeilingVariables): ConfiguredCeilings =>
  Object.fromEntries(KEYS.map((key) => [key, environment[SETTINGS[key]]])) as ConfiguredCeilings;

/**
 * Returns the configured ceilings; a missing one is derived from this host. A derived ceiling is
 * never below the default of its limit, so that a definition that does not name the limit is
 * accepted on a small host too.
 * @param folder a folder on the disk that stores artifacts
 */
export async function hostCeilings(configured: ConfiguredCeilings, folder: string): Promise<Ceilings> {
  const defaults = TaskLimits.parse({});
  const { blocks, bsize } = await statfs(folder);
  const disk = blocks * bsize;
  const derived: Ceilings = {
    memory: totalmem(),
    cpus: cpus().length,
    pids: MOST_PIDS,
    startSeconds: HOUR_SECONDS,
    requestSeconds: HOUR_SECONDS,
    evaluationSeconds: DAY_SECONDS,
    artifact: disk,
    unpacked: disk,
  };
  const ceilings = KEYS.map((key) => [key, configured[key] ?? Math.max(derived[key], defaults[key])]);
  return Object.fromEntries(ceilings) as Ceilings;
}

/** `limits` with every value lowered to its ceiling. */
export function clampLimits<T extends Partial<Ceilings>>(limits: T, ceilings: Ceilings): T {
  const lowered = KEYS.flatMap((key) => {
    const value = limits[key];
    return value !== undefined && value > ceilings[key] ? [[key, ceilings[key]] as const] : [];
  });
  return { ...limits, ...Object.fromEntries(lowered) };
}

/**
 * Returns one problem for each limit above its ceiling. A limit that is unchanged from `present` is
 * not a problem.
 */
export function ceilingProblems(limits: TaskLimits, ceilings: Ceilings, present?: TaskLimits): Problem[] {
  return KEYS.filter((key) => limits[key] > ceilings[key] && limits[key] !== present?.[key]).map((key) => ({
    path: `limits.${key}`,
    message:
      `${shown(key, limits[key])} is above the ceiling of this service, ${shown(key, ceilings[key])}. ` +
      `Lower it, or ask the operator to raise ${SETTINGS[key]}.`,
  }));
}

/** @throws DomainError `limit_above_ceiling` */
export function expectWithinCeilings(limits: TaskLimits, ceilings: Ceilings, present?: TaskLimits): void {
  const problems = ceilingProblems(limits, ceilings, present);
  if (problems.length === 0) return;
  const text = problems.map(({ path, message }) => `${path}: ${message}`).join(' ');
  throw new DomainError('invalid', 'limit_above_ceiling', text, problems);
}

const shown = (key: keyof Ceilings, value: number): string =>
  BYTES.has(key) ? formatBytes(value) : key.endsWith('Seconds') ? `${value} s` : String(value);
