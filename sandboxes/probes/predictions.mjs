// Probes whose response bodies are not what was requested.
import { send } from './sending.mjs';

const each =
  (text) =>
  ({ instances, response }) =>
    send(response, `{"predictions":[${instances.map(() => text).join(',')}]}`);
const anew =
  (make) =>
  ({ response, honest }) =>
    send(response, { predictions: make(honest) });

export const predictions = {
  'fifty-megabytes-of-brackets': { answer: ({ response }) => send(response, Buffer.alloc(50 << 20, '[')) },
  /** Valid, and nested as deeply as the size limit of a response allows. */
  'deep-brackets': { answer: deepest(20_000) },
  'brackets-beyond-the-limit': { answer: deepest(2_000_000) },
  '1e999': { answer: each('{"label":"even","probabilities":{"even":1e999,"odd":0}}') },
  nan: { answer: each('{"label":"even","probabilities":{"even":NaN,"odd":0}}') },
  'not-a-number': { answer: each('1e999') },
  'largest-number': { answer: each('1.7e308') },
  'largest-scored-number': { answer: each('1e30') },
  'proto-probability': { answer: each('{"label":"even","probabilities":{"even":1,"odd":0,"__proto__":0}}') },
  'proto-prediction': { answer: each('{"__proto__":{"label":"even"}}') },
  'proto-label': { answer: each('"__proto__"') },
  'proto-body': {
    answer: ({ response, honest }) => send(response, `{"__proto__":{"predictions":${JSON.stringify(honest)}}}`),
  },
  'one-too-few': { answer: anew((honest) => honest.slice(1)) },
  'one-too-many': { answer: anew((honest) => [...honest, 'even']) },
  none: { answer: anew(() => []) },
  'thirty-thousand': { answer: anew(() => new Array(30_000).fill(0)) },
  'nul-label': { answer: each('"even\\u0000"') },
  'control-label': { answer: each('"\\u001b[2J\\u202eeven"') },
  'half-character-label': { answer: each('"\\ud800"') },
  'nul-text': { answer: each('"a text with a \\u0000 in it"') },
  'half-character-text': { answer: each('"half of \\ud83d"') },
};

/** One prediction that consists of nested lists. */
function deepest(depth) {
  return ({ honest, response }) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const others = honest.slice(1).map((label) => JSON.stringify(label));
    send(response, `{"predictions":[${[deep, ...others].join(',')}]}`);
  };
}
