// Probes that exhaust resources: processes, memory, disk, log, time.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, renameSync, symlinkSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { send } from './sending.mjs';

const MEBIBYTE = 1 << 20;
/** Folders that must not be writable. The last ones are those of the relay, if they exist. */
const FOLDERS = ['', '/app', '/etc', '/run', '/var', '/home', '/dev', '/proc', '/sys', '/mnt'].concat([
  '/run/assay-socket',
  '/run/assay-relay',
  '/run/relay',
]);
const hoard = [];
const sayHonestly = ({ response, honest }) => send(response, { predictions: honest });
const sleepForEver = () => new Promise(() => undefined);

export const bombs = {
  'fork-bomb': {
    // this process also waits for the script, so that no request is ever answered
    answer: () => execFileSync('/usr/bin/perl', ['/app/fork-bomb.pl'], { stdio: 'inherit' }),
  },
  'memory-bomb': {
    answer: () => {
      for (;;) hoard.push(Buffer.alloc(16 * MEBIBYTE, 1));
    },
  },
  /** A server of several processes, which continues after one of them was killed. */
  'killed-child': {
    answer: (ask) => {
      if (ask.requests === 0) console.log(`the child ended by ${childThatEatsMemory()}`);
      sayHonestly(ask);
    },
  },
  'killed-child-then-500': {
    answer: ({ response }) => response.writeHead(500).end(`the child ended by ${childThatEatsMemory()}`),
  },
  'killed-child-then-exit-0': {
    answer: () => {
      childThatEatsMemory();
      process.exit(0);
    },
  },
  /** Fills /tmp, whose files count as memory of the container. */
  'fill-tmp': { answer: () => console.log(fill('/tmp/fill', Infinity)) },
  'fill-shm': {
    start: () => console.log(fill('/dev/shm/fill', Infinity)),
  },
  /** Writes to all other folders. Arguments: additional folders. */
  'fill-root': {
    start: (words) => {
      for (const folder of [...FOLDERS, ...words]) {
        console.log(`${folder}/: ${attempt(() => writeFileSync(`${folder}/fill`, 'x'))}`);
      }
    },
  },
  /**
   * Attacks the relay, which under gVisor runs in the model's sandbox. The platform would follow
   * the link.
   */
  'kills-the-relay': {
    answer: (ask) => {
      if (ask.requests === 0) {
        console.log(`kill: ${attempt(() => process.kill(-1, 'SIGKILL'))}`);
        console.log(`move: ${attempt(() => renameSync('/run/assay-socket', '/run/elsewhere'))}`);
        console.log(`remove: ${attempt(() => unlinkSync('/run/assay-socket/s'))}`);
        console.log(`link: ${attempt(() => symlinkSync('/var/run/docker.sock', '/run/assay-socket/s'))}`);
      }
      sayHonestly(ask);
    },
  },
  'log-flood': {
    start: () => {
      const line = Buffer.from(`${'x'.repeat(65_535)}\n`);
      let written = 0;
      for (; written < 32 * MEBIBYTE; written += line.length) writeAll(1, line);
      console.log(`wrote ${written} bytes`);
    },
  },
  'cpu-spin': {
    answer: () => {
      for (let child = 0; child < 8; child++) spawn('/usr/bin/perl', ['-e', '1 while 1']);
      for (;;);
    },
  },
  'never-ready': { ping: (response) => response.writeHead(503).end() },
  'never-listens': { deaf: true, start: () => setInterval(() => undefined, 1000) },
  'ping-without-answer': { ping: sleepForEver },
  'ping-without-end': {
    ping: (response) => {
      response.writeHead(200);
      setInterval(() => response.write('x'.repeat(65_536)), 10);
    },
  },
  'exits-at-once': { start: () => process.exit(0) },
  'exits-at-the-100th-request': {
    answer: (ask) => {
      if (ask.requests === 99) process.exit(0);
      sayHonestly(ask);
    },
  },
};

function childThatEatsMemory() {
  const script = '$_ .= "x" x 16_777_216 while 1';
  return spawnSync('/usr/bin/perl', ['-e', script]).signal;
}

/** Writes a file until that fails, and returns how much it has written. */
function fill(path, limit) {
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(MEBIBYTE, 1);
  let written = 0;
  const end = attempt(() => {
    while (written < limit) written += writeSync(file, piece);
  });
  closeSync(file);
  return `${path}: ${Math.round(written / MEBIBYTE)} MiB, then ${end}`;
}

function attempt(work) {
  try {
    work();
    return 'done';
  } catch (error) {
    return error.code ?? error.message;
  }
}

/** Writes all bytes; a full pipe accepts only some of them at a time. */
function writeAll(descriptor, bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
