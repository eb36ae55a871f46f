// Turns the body of a request into texts.

/** The request is at fault, not the model. The message says what is wrong. */
export class BadRequest extends Error {}

/**
 * @param {string} body JSON
 * @returns {Record<string, unknown>[]}
 */
export function parseInstances(body) {
  const parsed = parseJson(body);
  const instances = parsed?.instances;
  if (!Array.isArray(instances)) throw new BadRequest('The body must be {"instances": [{…}, …]}.');
  instances.forEach((instance, index) => {
    if (instance === null || typeof instance !== 'object' || Array.isArray(instance)) {
      throw new BadRequest(`Instance ${index} is not an object of input fields.`);
    }
  });
  return instances;
}

function parseJson(body) {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new BadRequest(`The body is not valid JSON: ${error.message}`);
  }
}

/**
 * Returns the fields of the first and the second text: the configured ones; for a reader `question`
 * and `context` if they exist; otherwise those of the first instance, in order.
 * @param {Record<string, unknown>} instance
 * @param {{ configured: readonly string[] | null, isReader: boolean }} options
 * @returns {readonly [string] | readonly [string, string]}
 */
export function textFields(instance, { configured, isReader }) {
  if (isReader && configured === null && 'question' in instance && 'context' in instance)
    return ['question', 'context'];
  const names = configured ?? Object.keys(instance);
  if (isReader && names.length !== 2) {
    throw new BadRequest(`A reader takes a question and a context; the instances have ${listed(names)}.`);
  }
  if (names.length === 1) return [names[0]];
  if (names.length === 2) return [names[0], names[1]];
  throw new BadRequest(
    `The runner takes one text or a pair; the instances have ${listed(names)}. ASSAY_FIELDS=first,second picks two of them.`,
  );
}

/** @returns {string} the text of `field`; numbers as in JSON */
export function textOf(instance, field, index) {
  const value = Object.hasOwn(instance, field) ? instance[field] : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new BadRequest(`Instance ${index} has no text in "${field}".`);
}

function listed(names) {
  return names.length === 0 ? 'no fields' : names.map((name) => `"${name}"`).join(', ');
}
