import type { DataCard } from '@assay/contracts/datasets';

type Cell = string | number | null;

/** Renders the data card as Markdown. */
export function cardText(card: DataCard): string {
  const { task, round, examples, people, agreement, consent, licence, pay } = card;
  return joined([
    `# ${line(task.name)}: data of round ${round.number}`,
    task.description,
    round.description,
    table(
      ['', ''],
      [
        ['Task', task.slug],
        ['Language', task.language],
        ['Collected', `${day(round.openedAt)} to ${day(round.closedAt)}`],
        ['Closed by', round.closedBy],
        ['Licence', licence.name],
      ],
    ),
    '## Examples',
    table(
      ['Examples', 'Number'],
      [
        ['submitted', examples.submitted],
        ['fooled the loop', examples.fooled],
        ...Object.entries(examples.outcomes),
        ['decided by the owner alone', examples.decidedByOwner],
        ['attested: brought from elsewhere', `${examples.attested} (${share(examples.attested, examples.submitted)})`],
        ['retracted by their authors', examples.retracted],
        ['text removed at the wish of their authors', examples.removed],
        ['contexts', card.contexts],
      ],
    ),
    table(
      ['Split', 'Examples', 'Fooled the loop', 'Contexts'],
      card.splits.map((split) => [split.split, split.examples, split.fooled, split.contexts]),
    ),
    'No context is in two splits. `test` is hidden and ranks models, `dev` is public and ranks nobody, `train` is published and nothing is evaluated on it.',
    '## Error rates and agreement',
    table(
      ['Figure', 'Value', 'Of examples'],
      [
        ['MER: fooled ÷ submitted', percent(card.mer.value), card.mer.of],
        ['vMER: validated and fooled ÷ submitted', vmerText(card.vmer), card.vmer.of],
        [
          'Error rate among validated: validated and fooled ÷ validated',
          percent(card.errorRateAmongValidated.value),
          card.errorRateAmongValidated.of,
        ],
      ],
    ),
    `${people.annotators} people wrote, ${people.validators} validated. Of ${agreement.validations} blind answers of validators ${percent(agreement.agreeing)} were the author's label.`,
    agreement.alpha === null
      ? ''
      : `Krippendorff's alpha of the ${agreement.alpha.of} is ${agreement.alpha.value.toFixed(3)}.`,
    card.conditions.length > 0 ? '## Conditions' : '',
    table(
      ['Condition', 'Prompt', 'Model', 'Examples', 'Annotators', 'MER', 'vMER'],
      card.conditions.map((arm) => [
        arm.name,
        arm.prompt ? 'yes' : 'no',
        arm.model ? 'yes' : 'no',
        arm.examples,
        arm.annotators,
        percent(arm.mer.value),
        vmerText(arm.vmer),
      ]),
    ),
    '## Models in the loop',
    table(
      ['Model', 'Id', 'Why', 'From', 'To', 'MER'],
      card.models.map((model) => [
        line(model.name),
        model.id,
        model.reason,
        day(model.since),
        model.left === null ? day(model.until) : `${day(model.until)}: ${line(model.left)}`,
        percent(model.mer.value),
      ]),
    ),
    '## Consent and licence',
    agreed('consent', consent.version, consent.agreed),
    consent.minimumAge === null ? '' : `People said that they are at least ${consent.minimumAge} years old.`,
    quoted('Content warning', consent.contentWarning),
    quoted('Consent', consent.text),
    agreed('licence', licence.version, licence.agreed),
    quoted('Licence', licence.text),
    pay === undefined ? '' : '## Pay of crowd workers',
    table(
      ['Currency', 'Paid', 'Examples', 'Per example', 'Per validated example', 'Per validated model error'],
      (pay ?? []).map((cost) => [
        cost.currency,
        money(cost.paid),
        cost.examples,
        money(cost.perExample),
        money(cost.perValidated),
        money(cost.perValidatedFooling),
      ]),
    ),
    '## Known limits',
    card.limits.map((limit) => `- ${limit}`).join('\n'),
    '## How to cite',
    `\`\`\`bibtex\n${card.citation}\n\`\`\``,
  ]);
}

const joined = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const money = (amount: number | null): string | null => amount?.toFixed(2) ?? null;
const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(1)}%`);
const vmerText = ({ value, pending }: DataCard['vmer']): string =>
  pending === 0 ? percent(value) : `at least ${percent(value)}, ${pending} pending`;
const share = (part: number, of: number): string => percent(of === 0 ? null : part / of);
const day = (time: string | null): string => time?.slice(0, 10) ?? '–';
/** Escapes a text written by a person for use within a line or a table cell. */
const line = (text: string): string => text.replace(/\s+/g, ' ').replace(/[|\\`]/g, '\\$&');

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '';
  const written = (cells: readonly Cell[]) => `| ${cells.map((cell) => cell ?? '–').join(' | ')} |`;
  return [written(head), written(head.map(() => '---')), ...rows.map(written)].join('\n');
}

function agreed(what: string, version: string | null, versions: DataCard['consent']['agreed']): string {
  if (version === null) return `The task asks for no ${what}.`;
  const people = versions.map((each) => `version ${line(each.version)}: ${each.people} people`).join(', ');
  return `The ${what} asked for is version ${line(version)}. Agreed to by those who wrote: ${people || 'nobody'}.`;
}

const quoted = (title: string, text: string | null): string =>
  text === null ? '' : `**${title}**\n\n${text.replace(/^/gm, '> ')}`;
