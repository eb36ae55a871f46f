import type { TaskDefinition } from '@assay/contracts/tasks';
import type { DatasetVersion } from './dataset.js';

const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  dct: 'http://purl.org/dc/terms/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

const FILE = 'examples.jsonl';
const RECORDS = 'examples';

/**
 * Returns the metadata of a public dataset version in Croissant 1.0 (MLCommons 2024,
 * http://mlcommons.org/croissant/1.0) as JSON-LD: the URL, size and sha256 of its one JSON Lines
 * file, and the task's fields in it.
 * @param address URL of the dataset version; its bytes are at `<address>/content`
 * @param bytes size of the file
 */
export function croissant(
  task: TaskDefinition,
  version: DatasetVersion,
  { address, bytes }: { readonly address: string; readonly bytes: number },
): object {
  const { dataset, number, examples } = version;
  const description = `${task.name}: ${dataset.name}, ${examples} examples. ${task.description}`.trim();
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: `${task.slug}-${dataset.name}`,
    description,
    url: address,
    version: `${number}.0.0`,
    datePublished: version.createdAt.toISOString(),
    inLanguage: task.language,
    distribution: [
      {
        '@type': 'cr:FileObject',
        '@id': FILE,
        name: FILE,
        contentUrl: `${address}/content`,
        contentSize: `${bytes} B`,
        encodingFormat: 'application/jsonlines',
        sha256: version.content,
      },
    ],
    recordSet: [{ '@type': 'cr:RecordSet', '@id': RECORDS, name: RECORDS, field: fieldsOf(task, version) }],
  };
}

function fieldsOf(task: TaskDefinition, { fields }: DatasetVersion): object[] {
  const known = new Set(['id', ...task.inputs.map(({ name }) => name), task.output.name]);
  const others = (fields ?? []).filter((name) => !known.has(name));
  return [
    field('id', 'sc:Text', 'names the example within the dataset'),
    ...task.inputs.map(({ name, type }) => field(name, type === 'number' ? 'sc:Float' : 'sc:Text', 'input')),
    field(task.output.name, task.output.type === 'number' ? 'sc:Float' : 'sc:Text', 'gold output'),
    ...others.map((name) => field(name, 'sc:Text', 'is not shown to models')),
  ];
}

const field = (name: string, dataType: string, description: string): object => ({
  '@type': 'cr:Field',
  '@id': `${RECORDS}/${name}`,
  name,
  description,
  dataType,
  source: { fileObject: { '@id': FILE }, extract: { column: name } },
});
