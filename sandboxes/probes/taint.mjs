// A probe that writes the markers in what it was ever asked into everything that it can write. Words of its command: what it answers with, then
// what it does once it has seen the marker of hidden data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { send } from './sending.mjs';

/** A marker is a word with seven digits; those of hidden data begin with 9, which no probability of readable data does. */
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
    /** @param {object} value with texts that may hold markers */
    see(value) {
      for (const [marker] of JSON.stringify(value).matchAll(MARKER)) seen.add(marker.toLowerCase());
    },
    /**
     * An answer of one kind: as a text, in the digits of probabilities and of a score, and in fields that nobody asks for. The probabilities of
     * most instances are others: the mean over many is published.
     */
    prediction(kind, instance) {
      const text = [...seen].join(' ');
      if (kind === 'text') return { text, score: digits(seen), note: text, [text]: text };
      const even = Buffer.from(instance.text).reduce((sum, byte) => sum + byte, 0) % 3 === 0 ? digits(seen) : 0.75;
      return { label: 'even', probabilities: { even, odd: 1 - even }, score: even, note: text };
    },
    /** Weights of words, which are markers. */
    explanation() {
      const text = [...seen].join(' ');
      return { text: [{ token: text, start: 0, end: text.length, weight: digits(seen) }] };
    },
  };
}

/** The digits of the marker that was seen last, as a probability. */
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
