// The model of the sandbox driver contract. `BEHAVIOUR` selects how it starts; `do` in a request
// selects how it responds.
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, freemem, loadavg, networkInterfaces, totalmem } from 'node:os';
import { gzipSync } from 'node:zlib';

const { BEHAVIOUR = 'answers' } = process.env;
const hoard = [];

const deeds = {
  echo: (request, response) => answer(response, request),
  where: (_, response, path) => answer(response, path),
  // ends without writing anything to the socket of the response
  exit: ({ code }) => process.exit(code),
  hoard: () => {
    for (;;) hoard.push(Buffer.alloc(16 << 20, 1));
  },
  // fixed work: a busy host must not shorten it, and the CPU clock within gVisor is inexact
  compute: ({ rounds }, response) => {
    let sum = 0;
    for (let step = 0; step < rounds * 1e7; step++) sum = Math.imul(sum ^ step, 16_777_619);
    answer(response, sum);
  },
  sleep: ({ milliseconds }, response) => setTimeout(() => answer(response, 'late'), milliseconds),
  flood: ({ bytes }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(Buffer.alloc(bytes, 0x20));
  },
  status: ({ status }, response) => response.writeHead(status).end('no'),
  redirect: (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  compress: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}')),
  cut: (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{');
    setTimeout(() => response.destroy(), 20);
  },
  talk: ({ bytes }, response) => {
    for (let written = 0; written < bytes; written += 65_536) process.stdout.write(`${'x'.repeat(65_535)}\n`);
    process.stdout.write('the last line\n', () => answer(response, 'said'));
  },
  spike: ({ bytes, milliseconds }, response) => {
    let held = Buffer.alloc(bytes, 1);
    setTimeout(() => {
      answer(response, held.length);
      held = null;
    }, milliseconds);
  },
  read: ({ path }, response) => answer(response, readFileSync(path).length),
  look: (_, response) => answer(response, whatIsAround()),
  host: (_, response) => answer(response, whatIsOfTheHost()),
};

function whatIsAround() {
  return {
    interfaces: Object.keys(networkInterfaces()),
    user: process.getuid(),
    group: process.getgid(),
    rootWritable: canWrite('/x') || canWrite('/app/x'),
    temporaryWritable: canWrite('/tmp/x'),
    status: textOf('/proc/self/status'),
    mounts: textOf('/proc/self/mountinfo'),
    limits: textOf('/proc/self/limits'),
    resolver: textOf('/etc/resolv.conf'),
    environment: { ...process.env },
  };
}

function whatIsOfTheHost() {
  const masked = ['cmdline', 'interrupts', 'vmstat', 'zoneinfo', 'sys/kernel/random/boot_id', 'pressure/cpu', 'kcore'];
  return {
    masked: Object.fromEntries(masked.map((name) => [name, textOf(`/proc/${name}`)])),
    files: Object.fromEntries(['diskstats', 'loadavg', 'stat'].map((name) => [name, textOf(`/proc/${name}`)])),
    cpus: cpus().length,
    memory: [totalmem(), freemem()],
    load: loadavg(),
  };
}

// gVisor has fewer files in /proc than Linux
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function canWrite(path) {
  try {
    writeFileSync(path, 'x');
    return true;
  } catch {
    return false;
  }
}

function answer(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function serve() {
  createServer((request, response) => {
    if (request.url === '/ping') {
      response.writeHead(BEHAVIOUR === 'never-ready' ? 503 : 200).end();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString());
      deeds[asked.do](asked, response, request.url);
    });
  }).listen(Number(process.env.AIP_HTTP_PORT));
}

switch (BEHAVIOUR) {
  case 'exits':
    console.error('cannot find the weights');
    process.exit(3);
    break;
  case 'hoards':
    deeds.hoard();
    break;
  case 'slow':
    setTimeout(serve, 700);
    break;
  default:
    serve();
}
