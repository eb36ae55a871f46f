import type { ContainerCreateOptions } from 'dockerode';
import type { SandboxSpecification } from '../sandbox.js';
import type { CoreShare } from './core-allocator.js';
import { MASKED_PATHS } from './host-view.js';
import { seccompProfile } from './seccomp-profile.js';

const mebibyte = 1024 * 1024;

/** The CPU weight of a model (`cpu.shares`). Containers have 1024 by default. */
const MODEL_CPU_SHARES = 256;

/**
 * The users of the two containers. They differ, so that neither can send signals to the other or
 * read it.
 */
const modelUser = '65534:65534';
export const relayUser = '65533:65533';

/** The folder of the socket inside the relay's container. Only the relay mounts it. */
const relayFolder = '/run/relay';
export const socketName = 's';

export const label = {
  instance: 'assay.instance',
  sandbox: 'assay.sandbox',
  role: 'assay.role',
  run: 'assay.run',
  attempt: 'assay.attempt',
  data: 'assay.data',
  owners: 'assay.owners',
  deadline: 'assay.deadline',
  cores: 'assay.cores',
  sharedCores: 'assay.shared-cores',
} as const;

export interface ContainerPlan {
  /** The name of the sandbox, and part of the names of both containers. */
  readonly id: string;
  readonly instance: string;
  readonly specification: SandboxSpecification;
  readonly share: CoreShare;
}

export function containerName(id: string, role: 'model' | 'relay'): string {
  return `assay-${id}-${role}`;
}

/**
 * Returns the settings of the model's container: no network, nothing of the host except `mounts`,
 * and every limit set.
 */
export function modelContainer(plan: ContainerPlan, mounts: HostConfig['Mounts'] = []): ContainerCreateOptions {
  const { specification, share } = plan;
  const { limits, command } = specification;
  return {
    name: containerName(plan.id, 'model'),
    Image: `assay/model:${specification.image}`,
    ...(command && { Cmd: [...command] }),
    Env: Object.entries(environment(specification)).map(([name, value]) => `${name}=${value}`),
    Hostname: 'model',
    User: modelUser,
    Labels: labels(plan, 'model'),
    HostConfig: {
      ...confinement(limits.memory, limits.pids),
      NetworkMode: 'none',
      // otherwise the engine copies the host's resolver and search domains into /etc/resolv.conf
      Dns: ['127.0.0.1'],
      DnsSearch: ['.'],
      DnsOptions: [],
      Runtime: specification.runtime,
      SecurityOpt: ['no-new-privileges', `seccomp=${seccompProfile}`],
      // gVisor makes these files itself
      ...(specification.runtime === 'runc' && { MaskedPaths: [...MASKED_PATHS] }),
      CpusetCpus: share.cores.join(','),
      CpuShares: MODEL_CPU_SHARES,
      ...(share.quota !== null && { NanoCpus: Math.round(share.quota * 1e9) }),
      // under gVisor, its own processes count towards the limit
      ...(specification.runtime === 'runsc' && { PidsLimit: Math.max(512, limits.pids) }),
      Ulimits: [
        ...ulimits(limits.memory),
        ...(specification.runtime === 'runsc' ? [{ Name: 'nproc', Soft: limits.pids, Hard: limits.pids }] : []),
      ],
      // exec, because kernel compilers write the code that they load there; writes fail without uid
      // and gid
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,size=${limits.memory},nr_inodes=65536,mode=1777,uid=65534,gid=65534` },
      ShmSize: 64 * mebibyte,
      Mounts: mounts,
    },
  };
}

/**
 * Returns the settings of the relay's container: in the model's network namespace, with the
 * socket's folder and nothing else.
 */
export function relayContainer(
  plan: ContainerPlan,
  image: string,
  folder: string,
  model: string,
): ContainerCreateOptions {
  const { specification, share } = plan;
  return {
    name: containerName(plan.id, 'relay'),
    Image: image,
    Cmd: [`${relayFolder}/${socketName}`, String(specification.port)],
    User: relayUser,
    Labels: labels(plan, 'relay'),
    HostConfig: {
      ...confinement(128 * mebibyte, 64),
      NetworkMode: `container:${model}`,
      SecurityOpt: ['no-new-privileges', `seccomp=${seccompProfile}`],
      CpusetCpus: share.others.join(','),
      Ulimits: ulimits(16 * mebibyte),
      Mounts: [{ Type: 'bind', Source: folder, Target: relayFolder, ReadOnly: false }],
    },
  };
}

type HostConfig = NonNullable<ContainerCreateOptions['HostConfig']> & { readonly CgroupnsMode: 'private' };

function confinement(memory: number, pids: number): HostConfig {
  return {
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    Memory: memory,
    MemorySwap: memory,
    MemorySwappiness: 0,
    PidsLimit: pids,
    IpcMode: 'private',
    CgroupnsMode: 'private',
    // json-file has no limit of its own and took 279 MB in 5 s
    LogConfig: { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
    RestartPolicy: { Name: 'no' },
    // the exit code and the counters are read before the container is removed
    AutoRemove: false,
  };
}

function ulimits(fileBytes: number): { Name: string; Soft: number; Hard: number }[] {
  const limit = (Name: string, value: number) => ({ Name, Soft: value, Hard: value });
  return [
    limit('nofile', 1024),
    limit('core', 0),
    limit('fsize', fileBytes),
    limit('memlock', 65_536),
    limit('msgqueue', 0),
  ];
}

/**
 * Returns the model's environment variables. The submission's own variables cannot change those of
 * the platform.
 */
export function environment({ environment: own, limits, port }: SandboxSpecification): Record<string, string> {
  return {
    ...own,
    HOME: '/tmp',
    TMPDIR: '/tmp',
    XDG_CACHE_HOME: '/tmp/.cache',
    HF_HOME: '/tmp/huggingface',
    OMP_NUM_THREADS: String(Math.max(1, Math.floor(limits.cpus))),
    AIP_HTTP_PORT: String(port),
    AIP_HEALTH_ROUTE: '/ping',
    AIP_PREDICT_ROUTE: '/invocations',
  };
}

function labels(
  { id, instance, specification, share }: ContainerPlan,
  role: 'model' | 'relay',
): Record<string, string> {
  const { run, attempt, deadline, owners } = specification.labels;
  return {
    [label.instance]: instance,
    [label.sandbox]: id,
    [label.role]: role,
    [label.run]: run,
    [label.attempt]: String(attempt),
    ...(deadline !== undefined && { [label.deadline]: String(deadline) }),
    ...(role === 'model' && { [label.data]: specification.data }),
    ...(role === 'model' && owners && { [label.owners]: owners.join(',') }),
    ...(role === 'model' && { [share.own ? label.cores : label.sharedCores]: share.cores.join(',') }),
  };
}
