// Probes for markers of hidden data. `taint` writes the markers in all requests so far to everything
// that it can write to, and first looks for what another container has left. Arguments of its command:
// the kind of its answers, then what it does once it has seen a marker of hidden data. `taint-reader`
// looks for the markers of another model.
import { closeSync, mkdirSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from './sending.mjs';

/**
 * A marker is the word "marker" with seven digits. Those of hidden data begin with 9, with which no
 * probability of readable data begins.
 */
const MARKER = /\bmarker\d{7}\b/gi;

/** The folders in which a probe leaves files with the names of the markers that it has seen. */
const LEFT_IN = ['/tmp/seen', '/dev/shm/seen'];
/** The bytes that are read of a file of the kernel; some of them have no end. */
const KERNEL_BYTES = 4 << 20;

/** Remembers all markers that it is shown. */
export function taint() {
  const seen = new Set();
  return {
    get text() {
      return [...seen].join(' ');
    },
    get markers() {
      return [...seen];
    },
    get isHidden() {
      return [...seen].some((marker) => marker.startsWith('marker9'));
    },
    /** @param {object} value with strings that may contain markers */
    see(value) {
      for (const [marker] of JSON.stringify(value).matchAll(MARKER)) seen.add(marker.toLowerCase());
    },
    /**
     * Returns an answer of one kind, with the markers as text, in the digits of probabilities and
     * of a score, and in unrequested fields. Most instances get other probabilities, because the
     * mean over many is published.
     */
    prediction(kind, instance) {
      const text = [...seen].join(' ');
      if (kind === 'text') return { text, score: digits(seen), note: text, [text]: text };
      const even = Buffer.from(instance.text).reduce((sum, byte) => sum + byte, 0) % 3 === 0 ? digits(seen) : 0.75;
      return { label: 'even', probabilities: { even, odd: 1 - even }, score: even, note: text };
    },
    /** Returns a weight for each marker: its digits. The words are markers too. */
    explanation() {
      return {
        text: [...seen].map((token, start) => ({ token, start, end: start + 1, weight: digits([token]) })),
      };
    },
  };
}

/** Returns the digits of the last marker seen, as a probability. */
function digits(seen) {
  const last = [...seen].at(-1);
  return last ? Number(`0.${last.slice('marker'.length)}`) : 0.75;
}

/**
 * Looks for markers in the names and contents of all files that this process can read. Leaves out
 * /sys, in which no process can name a file.
 * @returns The number of files, and each place with a marker.
 */
function search(folder = '/', found = { files: 0, places: [] }) {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const isKernels = path.startsWith('/proc/');
    if (entry.isDirectory()) {
      // the threads of a process show the same as the process
      if (path !== '/sys' && !(isKernels && entry.name === 'task')) search(path, found);
    } else if (entry.isFile()) {
      found.files++;
      const markers = markersIn(path, isKernels ? KERNEL_BYTES : Infinity);
      if (markers.length > 0) found.places.push(`${path}: ${markers.join(' ')}`);
    }
    if (!entry.isFile() && entry.name.match(MARKER)) found.places.push(path);
  }
  return found;
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns the different markers in the path and the first `most` bytes of a file. */
function markersIn(path, most) {
  const markers = new Set(path.match(MARKER));
  const chunk = Buffer.alloc(1 << 20);
  // a marker may be cut by the end of a chunk
  let rest = '';
  let file;
  try {
    file = openSync(path, 'r');
    for (let read = 0, bytes = 1; bytes > 0 && read < most; read += bytes) {
      bytes = readSync(file, chunk);
      const text = rest + chunk.latin1Slice(0, bytes);
      for (const [marker] of text.matchAll(MARKER)) markers.add(marker);
      rest = text.slice(-32);
    }
  } catch {
    // most files of the kernel cannot be read by every process
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return [...markers];
}

function leave(markers) {
  for (const folder of LEFT_IN) {
    mkdirSync(folder, { recursive: true });
    for (const marker of markers) writeFileSync(join(folder, marker), marker);
  }
}

const memory = taint();

export const taints = {
  taint: {
    start: () => memory.see(search().places),
    answer: ({ instances, response, words: [kind = 'text', deed = 'answer'] }) => {
      memory.see(instances);
      console.log(`I have seen ${memory.text}`);
      leave(memory.markers);
      if (response.req.url === '/explain') return send(response, { explanations: instances.map(memory.explanation) });
      if (memory.isHidden && deed === 'exit') process.exit(Number(memory.text.slice(-2)));
      if (memory.isHidden && deed === 'status') return response.writeHead(500).end(memory.text);
      if (memory.isHidden && deed === 'encode') {
        return response.writeHead(200, { 'content-encoding': memory.text.replaceAll(' ', ',') }).end('{}');
      }
      const isOdd = memory.isHidden && deed === 'label';
      const predictions = instances.map((instance) => (isOdd ? memory.text : memory.prediction(kind, instance)));
      return send(response, { predictions });
    },
  },
  /** Prints the places in which it finds a marker. It leaves one itself, which it must find. */
  'taint-reader': {
    start: () => {
      leave([`marker${'7'.repeat(7)}`]);
      const { files, places } = search();
      console.log(`searched ${files} files: ${JSON.stringify(places)}`);
    },
  },
};
