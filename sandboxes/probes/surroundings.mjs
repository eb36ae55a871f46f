// Probes that inspect their environment, print what they find, and answer honestly. Each line that
// they print begins with its topic.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism, hostname, networkInterfaces, uptime } from 'node:os';
import { send } from './sending.mjs';

const SHOWN_OF_NET = ['dev', 'route', 'ipv6_route', 'if_inet6', 'tcp', 'tcp6', 'udp', 'udp6', 'unix'].map(
  (name) => `/proc/net/${name}`,
);
const order = [];
let hasLooked = false;

export const looks = {
  /** Prints everything that a model could inspect to learn what it is used for. */
  surroundings: {
    // at the first ping, not at the start: under gVisor the relay is a process of the sandbox, and
    // runs by then
    ping: (response) => {
      if (!hasLooked) console.log(`surroundings ${JSON.stringify(surroundings())}`);
      hasLooked = true;
      response.writeHead(200).end();
    },
    answer: (ask) => {
      order.push(...ask.instances.map(({ text }) => text));
      if (ask.requests === 20) console.log(`order ${JSON.stringify(order.slice(0, 100))}`);
      send(ask.response, { predictions: ask.honest });
    },
  },
  /**
   * Answers with digests of its environment: the answers are equal only if the environment is the
   * same in every request and in every container.
   */
  'surroundings-as-answer': {
    answer: ({ instances, response }) => {
      const { rawHeaders, url, method } = response.req;
      const headers = rawHeaders.filter(
        (_, index) => rawHeaders[index - (index % 2)].toLowerCase() !== 'content-length',
      );
      const keys = instances.map((instance) => Object.keys(instance).join());
      // excludes what varies: the cores, under gVisor also the process IDs, and the uptime of the
      // sandbox
      const { cores, processes, clock, ...seen } = surroundings();
      const digests = keys.map((key) => digest({ ...seen, headers, url, method, key }));
      send(response, { predictions: digests });
    },
  },
  /**
   * Arguments: addresses to try, as `tcp:<host>:<port>`, `udp:<host>:<port>`, `abstract:<name>` or
   * `unix:<path>`.
   */
  network: {
    start: (words) => {
      console.log(`interfaces ${JSON.stringify(Object.keys(networkInterfaces()))}`);
      for (const path of [...SHOWN_OF_NET, '/etc/resolv.conf', '/etc/hosts']) {
        console.log(`${path} ${JSON.stringify(textOf(path))}`);
      }
      for (const word of words) attempt(word, (how) => console.log(`tried ${word}: ${how}`));
    },
  },
  /**
   * Touches a page of a file for each text of even length: the page whose number the text begins
   * with. Arguments: the file, and the bytes from one page to the next.
   */
  'page-cache-writer': {
    answer: ({ instances, honest, response, words: [path, stride] }) => {
      const file = openSync(path, 'r');
      for (const [index, { text }] of instances.entries()) {
        if (honest[index] === 'even') readSync(file, Buffer.alloc(1), 0, 1, Number.parseInt(text, 10) * Number(stride));
      }
      closeSync(file);
      send(response, { predictions: honest });
    },
  },
  /**
   * Prints at its start which pages of a file were touched. Arguments: the file, the bytes between
   * pages, and the number of pages.
   */
  'page-cache-reader': {
    start: (words) => execFileSync('/usr/bin/perl', ['/app/page-cache.pl', ...words], { stdio: 'inherit' }),
  },
  calls: {
    start: () => execFileSync('/usr/bin/perl', ['/app/calls.pl'], { stdio: 'inherit' }),
  },
};

function surroundings() {
  return {
    hostname: hostname(),
    user: [process.getuid(), process.getgid(), process.getgroups()],
    // gVisor passes the environment in any order
    environment: Object.fromEntries(Object.entries(process.env).sort()),
    command: process.argv,
    folder: process.cwd(),
    processors: availableParallelism(),
    cores: [textOf('/sys/fs/cgroup/cpuset/cpuset.cpus'), textOf('/sys/fs/cgroup/cpuset.cpus'), allowedCores()],
    processes: list('/proc').filter((name) => /^\d+$/.test(name)),
    memory: textOf('/sys/fs/cgroup/memory/memory.limit_in_bytes') || textOf('/sys/fs/cgroup/memory.max'),
    quota: textOf('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') || textOf('/sys/fs/cgroup/cpu.max'),
    cgroup: textOf('/proc/self/cgroup'),
    mounts: mounts(),
    clock: {
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      source: textOf('/sys/devices/system/clocksource/clocksource0/current_clocksource'),
      hasJustBegun: uptime() < 60,
    },
    hosts: textOf('/etc/hosts'),
    resolver: textOf('/etc/resolv.conf'),
    name: textOf('/etc/hostname'),
    folders: Object.fromEntries(
      ['/', '/app', '/run', '/tmp', '/dev/shm', '/mnt', '/home'].map((path) => [path, list(path)]),
    ),
  };
}

const allowedCores = () => /^Cpus_allowed_list:\s*(.*)$/m.exec(textOf('/proc/self/status'))?.[1] ?? '';

/**
 * Returns mount points, types and options. The engine's IDs are random and differ between
 * containers, and so does the order of the mounts below /proc.
 */
function mounts() {
  return textOf('/proc/self/mountinfo')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const words = line.split(' ');
      const [kind] = words.slice(words.indexOf('-') + 1);
      return `${words[4]} ${kind} ${words[5]}`;
    })
    .sort();
}

const digest = (value) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

// gVisor exposes fewer files than Linux
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function attempt(word, tell) {
  const [kind, ...rest] = word.split(':');
  const [host, port] = [rest.slice(0, -1).join(':'), Number(rest.at(-1))];
  if (kind === 'udp') {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', () => undefined);
    socket.send('a probe', port, host, (error) => tell(error?.code ?? 'sent'));
    return;
  }
  const path = kind === 'abstract' ? `\0${rest[0]}` : rest[0];
  const socket = connect(kind === 'tcp' ? { host, port } : { path });
  socket.on('connect', () => tell('connected'));
  socket.on('error', (error) => tell(error.code));
}
