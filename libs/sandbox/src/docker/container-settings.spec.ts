import { describe, expect, it } from '@jest/globals';
import type { SandboxSpecification } from '../sandbox.js';
import { type ContainerPlan, modelContainer, relayContainer } from './container-settings.js';
import { seccompProfile } from './seccomp-profile.js';

const mebibyte = 1024 * 1024;

function plan(change: Partial<SandboxSpecification> = {}): ContainerPlan {
  return {
    id: 'abc',
    instance: 'host-1',
    share: { cores: [2, 3], others: [0, 1], own: true, quota: null },
    specification: {
      image: 'd'.repeat(64),
      environment: { OWN: 'kept', HOME: '/root' },
      port: 9000,
      limits: { memory: 512 * mebibyte, cpus: 2, pids: 256, startSeconds: 60 },
      runtime: 'runc',
      data: 'readable',
      labels: { run: 'run-1', attempt: 3, owners: ['ada', 'bob'], deadline: 1_800_000_000_000 },
      ...change,
    },
  };
}

const both = (Name: string, value: number) => ({ Name, Soft: value, Hard: value });
const ulimits = (fileBytes: number) => [
  both('nofile', 1024),
  both('core', 0),
  both('fsize', fileBytes),
  both('memlock', 65_536),
  both('msgqueue', 0),
];

const CONFINEMENT = {
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges', `seccomp=${seccompProfile}`],
  MemorySwappiness: 0,
  IpcMode: 'private',
  CgroupnsMode: 'private',
  LogConfig: { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
  RestartPolicy: { Name: 'no' },
  AutoRemove: false,
};

const MODEL = {
  name: 'assay-abc-model',
  Image: `assay/model:${'d'.repeat(64)}`,
  Env: [
    'OWN=kept',
    'HOME=/tmp',
    'TMPDIR=/tmp',
    'XDG_CACHE_HOME=/tmp/.cache',
    'HF_HOME=/tmp/huggingface',
    'OMP_NUM_THREADS=2',
    'AIP_HTTP_PORT=9000',
    'AIP_HEALTH_ROUTE=/ping',
    'AIP_PREDICT_ROUTE=/invocations',
  ],
  Hostname: 'model',
  User: '65534:65534',
  Labels: {
    'assay.instance': 'host-1',
    'assay.sandbox': 'abc',
    'assay.role': 'model',
    'assay.run': 'run-1',
    'assay.attempt': '3',
    'assay.data': 'readable',
    'assay.owners': 'ada,bob',
    'assay.deadline': '1800000000000',
    'assay.cores': '2,3',
  },
  HostConfig: {
    ...CONFINEMENT,
    Memory: 512 * mebibyte,
    MemorySwap: 512 * mebibyte,
    PidsLimit: 256,
    NetworkMode: 'none',
    Dns: ['127.0.0.1'],
    DnsSearch: ['.'],
    DnsOptions: [],
    Runtime: 'runc',
    MaskedPaths: expect.arrayContaining(['/proc/kcore', '/sys/firmware', '/proc/cmdline', '/proc/vmstat']),
    CpusetCpus: '2,3',
    CpuShares: 256,
    Ulimits: ulimits(512 * mebibyte),
    Tmpfs: {
      '/tmp': `rw,exec,nosuid,nodev,size=${512 * mebibyte},nr_inodes=65536,mode=1777,uid=65534,gid=65534`,
    },
    ShmSize: 64 * mebibyte,
    Mounts: [],
  },
};

// the whole of it: what is added to a container is added here too, by someone who has thought about it
describe('the container of a model', () => {
  it('has no network, nothing of the host, and every limit under runc', () => {
    expect(modelContainer(plan())).toEqual(MODEL);
  });

  it('has more processes under runsc, whose own count, and as many of its own as the task says', () => {
    expect(modelContainer(plan({ runtime: 'runsc' }))).toEqual({
      ...MODEL,
      HostConfig: {
        ...MODEL.HostConfig,
        MaskedPaths: undefined,
        Runtime: 'runsc',
        PidsLimit: 512,
        Ulimits: [...ulimits(512 * mebibyte), both('nproc', 256)],
      },
    });
  });

  it('runs the command that was submitted, and has a share of cores that it shares', () => {
    const { specification } = plan({
      command: ['--model', 'small'],
      limits: { ...plan().specification.limits, cpus: 0.5 },
    });
    const shared = { ...plan(), specification, share: { cores: [0, 1], others: [0, 1], own: false, quota: 0.5 } };

    expect(modelContainer(shared)).toMatchObject({
      Cmd: ['--model', 'small'],
      Env: expect.arrayContaining(['OMP_NUM_THREADS=1']),
      Labels: { 'assay.shared-cores': '0,1' },
      HostConfig: { CpusetCpus: '0,1', NanoCpus: 500_000_000 },
    });
    expect(modelContainer(shared).Labels).not.toHaveProperty('assay.cores');
  });
});

describe('the container of a relay', () => {
  it.each(['runc', 'runsc'] as const)(
    'alone has the folder of the socket, and the network of a model under %s',
    (runtime) => {
      expect(relayContainer(plan({ runtime }), 'sha256:relay', '/run/sockets/abc', 'model-id')).toEqual({
        name: 'assay-abc-relay',
        Image: 'sha256:relay',
        Cmd: ['/run/relay/s', '9000'],
        User: '65533:65533',
        Labels: {
          'assay.instance': 'host-1',
          'assay.sandbox': 'abc',
          'assay.role': 'relay',
          'assay.run': 'run-1',
          'assay.attempt': '3',
          'assay.deadline': '1800000000000',
        },
        HostConfig: {
          ...CONFINEMENT,
          Memory: 128 * mebibyte,
          MemorySwap: 128 * mebibyte,
          PidsLimit: 64,
          NetworkMode: 'container:model-id',
          CpusetCpus: '0,1',
          Ulimits: ulimits(16 * mebibyte),
          Mounts: [{ Type: 'bind', Source: '/run/sockets/abc', Target: '/run/relay', ReadOnly: false }],
        },
      });
    },
  );
});
