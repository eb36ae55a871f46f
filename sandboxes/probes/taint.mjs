// A probe that writes the markers in all requests so far to everything that it can write to.
// Arguments of its command: the kind of its answers, then what it does once it has seen a marker of
// hidden data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { send } from './sending.mjs';

/**
 * A marker is the word "marker" with seven digits. Those of hidden data begin with 9, with which no
 * probability of readable data begins.
 */
const MARKER = /\bmarker\d{7}\b/gi;

/** Remembers all markers that it is shown. */
export function taint() {
  const seen = new Set();
  return {
    get text() {
      return [...seen].join(' ');
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
    /** Weights of words; the words are markers. */
    explanation() {
      const text = [...seen].join(' ');
      return { text: [{ token: text, start: 0, end: text.length, weight: digits(seen) }] };
    },
  };
}

/** Returns the digits of the last marker seen, as a probability. */
function digits(seen) {
  const last = [...seen].at(-1);
  return last ? Number(`0.${last.slice('marker'.length)}`) : 0.75;
}

const memory = taint();

export const taints = {
  taint: {
    start: () => mkdirSync('/tmp/seen', { recursive: true }),
    answer: ({ instances, response, words: [kind = 'text', deed = 'answer'] }) => {
      memory.see(instances);
      console.log(`I have seen ${memory.text}`);
      for (const name of memory.text.split(' ')) writeFileSync(`/tmp/seen/${name}`, memory.text);
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
};
