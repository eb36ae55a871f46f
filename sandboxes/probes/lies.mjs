// Probes that answer well when they are scored, and fast or differently when they are timed.
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './sending.mjs';

const other = (label) => (label === 'even' ? 'odd' : 'even');
const isAlone = ({ instances }) => instances.length === 1;
/** The number of warm-up requests: a single one and two batches. */
const WARM_UP_REQUESTS = 3;
/** Timed requests that are guessed in any case, because the host may pause among them too. */
const GUESSED_REQUESTS = 10;
/**
 * The milliseconds that count as a pause; usually a request follows as soon as the last one is
 * answered.
 */
const PAUSE = 5;
let firstTimed = 0;
let lastAnswered = Infinity;
let wasPaused = false;
let underWay = 0;
let wereTwo = false;
const known = new Map();
const mind = `${process.hrtime.bigint()}`;
const say = ({ response }, answers) => send(response, { predictions: answers });
const tied = (label) => ({ label, probabilities: { even: 0.5, odd: 0.5 } });

export const lies = {
  /** Assumes that single requests are timed and batches are scored. */
  'guesses-alone': {
    answer: (ask) => say(ask, isAlone(ask) ? ['even'] : ask.honest),
  },
  'guesses-alone-but-sure-of-nothing': {
    answer: (ask) =>
      say(
        ask,
        ask.honest.map((label) => tied(isAlone(ask) ? 'even' : label)),
      ),
  },
  'rubbish-alone': { answer: (ask) => say(ask, isAlone(ask) ? ['neither'] : ask.honest) },
  'refuses-alone': {
    answer: (ask) => (isAlone(ask) ? ask.response.writeHead(429).end() : say(ask, ask.honest)),
  },
  /** Assumes that the first requests are timed. */
  'guesses-the-first-hundred': {
    answer: (ask) => say(ask, ask.instancesSeen < 180 ? ask.honest.map(() => 'even') : ask.honest),
  },
  'guesses-for-half-a-second': {
    answer: async (ask) => {
      if (ask.requests === WARM_UP_REQUESTS) firstTimed = Date.now();
      const early = Date.now() - firstTimed < 500;
      // slow, so that the timed requests do not end within this time
      await sleep(isAlone(ask) ? 15 : 0);
      say(ask, early ? ask.honest.map(() => 'even') : ask.honest);
    },
  },
  /** Assumes that timed requests arrive without a pause. */
  'guesses-until-a-pause': {
    answer: (ask) => {
      const isTimed = ask.requests < WARM_UP_REQUESTS + GUESSED_REQUESTS;
      wasPaused ||= !isTimed && performance.now() - lastAnswered > PAUSE;
      ask.response.on('finish', () => (lastAnswered = performance.now()));
      say(ask, wasPaused ? ask.honest : ask.honest.map(() => 'even'));
    },
  },
  /** Assumes that timed requests arrive one at a time. */
  'guesses-until-two-at-once': {
    answer: async (ask) => {
      underWay++;
      await sleep(5);
      wereTwo ||= ask.requests >= WARM_UP_REQUESTS && underWay > 1;
      say(ask, wereTwo ? ask.honest : ask.honest.map(() => 'even'));
      underWay--;
    },
  },
  /** Assumes that a repeated instance is a check. */
  'answers-anew-when-asked-again': {
    answer: (ask) =>
      say(
        ask,
        ask.instances.map(({ text }, index) => {
          const answer = known.has(text) ? other(ask.honest[index]) : ask.honest[index];
          known.set(text, answer);
          return answer;
        }),
      ),
  },
  /** Answers depend on the container, so a fresh one gives different answers. */
  'changes-its-mind-each-start': {
    answer: (ask) => say(ask, ask.instances.map(moodOf)),
  },
};

function moodOf({ text }) {
  let hash = 0;
  for (const character of mind + text) hash = (Math.imul(hash, 31) + character.codePointAt(0)) | 0;
  const even = (hash >>> 0) / 2 ** 32;
  return { label: even > 0.5 ? 'even' : 'odd', probabilities: { even, odd: 1 - even } };
}
