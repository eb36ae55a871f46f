import type { NextContext } from '@assay/contracts/annotating';
import type { LoopView } from '@assay/contracts/boards';
import type { ValidationItem, ValidationView } from '@assay/contracts/collection';
import type { MyExamples } from '@assay/contracts/people';
import type { RoundView } from '@assay/contracts/rounds';
import { sentiment } from '../../sandboxes/examples/examples.js';
import { projectText } from '../command.js';
import { type ApiClient, unlessMissing } from './api-client.js';
import { poll } from './processes.js';

/** An example that a person of the demonstration writes against the target models. */
interface WrittenExample {
  /** The text that the writer is shown. The tags belong to it. */
  readonly prompt: string;
  readonly tags: readonly string[];
  readonly text: string;
  readonly label: string;
  /** The reason why it is hard. */
  readonly why: string;
  /** The labels that its validators give, in turn. Empty if it has no validation yet. */
  readonly readers: readonly string[];
}

/** Milliseconds within which the target models must be ready. */
const PATIENCE = 120_000;

/**
 * Opens the round of the demonstration, has `people` write its examples against the target models,
 * and has them validate each other's. Leaves existing data unchanged. A context is only requested
 * to write for it, because the request reserves it.
 */
export async function collectRound(owner: ApiClient, slug: string, people: readonly ApiClient[]): Promise<RoundView> {
  const path = `/tasks/${slug}/rounds/${sentiment.collected.round}`;
  const examples = projectText(`sandboxes/examples/${sentiment.collected.file}`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WrittenExample);

  const known = new Set((await Promise.all(people.map((person) => written(slug, person)))).flat());
  // the examples without validations are written last, so if all texts exist the round is complete
  if (examples.every(({ text }) => known.has(text))) return owner.send<RoundView>('GET', path);

  if (!(await unlessMissing(owner.send<RoundView>('GET', path)))) {
    await owner.send('POST', `/tasks/${slug}/rounds`, {
      body: { description: 'Texts that say it without saying it.' },
    });
  }
  await owner.send('PUT', `${path}/contexts`, { body: contextLines(examples), type: 'application/x-ndjson' });
  await untilReady(owner, slug);
  for (const person of people) await person.send('POST', `/tasks/${slug}/consent`, { body: { consentVersion: '1' } });

  const { validated = [], waiting = [] } = Object.groupBy(examples, ({ readers }) =>
    readers.length > 0 ? 'validated' : 'waiting',
  );
  const missing = ({ text }: WrittenExample): boolean => !known.has(text);
  await write(validated.filter(missing), slug, people);
  const turns = new Map<string, number>();
  for (const person of people) await validate(validated, slug, person, turns);
  await write(waiting.filter(missing), slug, people);
  return owner.send<RoundView>('GET', path);
}

/** Returns one context for each prompt, as JSON Lines. */
function contextLines(examples: readonly WrittenExample[]): string {
  const prompts = new Map(examples.map(({ prompt, tags }) => [prompt, { id: tags[0], prompt, tags }]));
  return [...prompts.values()].map((context) => `${JSON.stringify(context)}\n`).join('');
}

async function untilReady(owner: ApiClient, slug: string): Promise<void> {
  const isReady = await poll(async () => {
    const { models } = await owner.send<LoopView>('GET', `/tasks/${slug}/loop`);
    return models.length > 0 && models.every(({ serving }) => serving?.state === 'ready');
  }, PATIENCE);
  if (!isReady) throw new Error(`The models in the loop of ${slug} do not answer.`);
}

async function write(examples: readonly WrittenExample[], slug: string, people: readonly ApiClient[]): Promise<void> {
  for (const [index, { text, label, why, tags }] of examples.entries()) {
    const person = people[index % people.length]!;
    const next = await person.send<NextContext>('POST', `/tasks/${slug}/annotate/next`, { body: { tag: tags[0] } });
    await person.send('POST', `/tasks/${slug}/rounds/${next.round}/annotations`, {
      body: {
        key: `demonstration-${tags[0] ?? ''}-${text.length}`,
        context: next.context.id,
        input: { text },
        label,
        explanations: { model: why },
        seconds: 40 + (text.length % 50),
      },
    });
  }
}

/** Returns the texts that this person wrote at an earlier start. */
async function written(slug: string, person: ApiClient): Promise<readonly unknown[]> {
  const { items } = await person.send<MyExamples>('GET', `/me/examples?task=${slug}&limit=200`);
  return items.map(({ input }) => input['text']);
}

/**
 * Validates until nothing of these examples is left for this person. Gives the label of the
 * example's next validator, then the verdict on the author's label.
 */
async function validate(
  examples: readonly WrittenExample[],
  slug: string,
  person: ApiClient,
  turns: Map<string, number>,
): Promise<void> {
  for (;;) {
    const item = await unlessMissing(person.send<ValidationItem>('POST', `/tasks/${slug}/validate/next`));
    const example = examples.find(({ text }) => text === item?.input['text']);
    // without an example: it is of another user, or was written last at an earlier start
    if (!item || !example) return;
    const { label, readers } = example;
    const asked = turns.get(item.id) ?? 0;
    turns.set(item.id, asked + 1);
    const said = readers[asked] ?? label;
    const { id } = await person.send<ValidationView>('POST', `/annotations/${item.id}/validations`, {
      body: { label: said },
    });
    await person.send('PATCH', `/validations/${id}`, {
      body: said === label ? { verdict: 'correct' } : { verdict: 'incorrect', label: said },
    });
  }
}
