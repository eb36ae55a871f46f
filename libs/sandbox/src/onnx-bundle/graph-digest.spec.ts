import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encode, external, INT64, type Part } from '../../../../test/factories/models/onnx-model-parts.js';
import { bundleDigest, graphDigest } from './graph-digest.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'graph-digest-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const floats = (...values: readonly number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
const WEIGHTS = floats(0.5, -1, 2);

const tensorOf = (name: string, elements: readonly Part[], { dims = [3], type = 1 } = {}): Part[] => [
  ...dims.map((size): Part => [1, size]),
  [2, type],
  [8, name],
  ...elements,
];
const node = (operator: string, inputs: readonly string[], output: string, more: readonly Part[] = []): Part => [
  1,
  [...inputs.map((name): Part => [1, name]), [2, output], [4, operator], ...more],
];
const valueInfo = (field: number, name: string): Part => [field, [[1, name]]];
const attribute = (name: string, ...values: readonly Part[]): Part => [5, [[1, name], ...values]];

/** A graph that multiplies the input by weights, adds the input, and takes the softmax. */
function graphOf({
  names = ['weights', 'product', 'sum'],
  weights = [[9, WEIGHTS]] as readonly Part[],
  axis = 1,
  nodes = null as readonly Part[] | null,
  more = [] as readonly Part[],
  outputs = ['logits'],
  inputs = ['input_ids'],
} = {}): Part[] {
  const [weight, product, sum] = names as [string, string, string];
  const own = [
    node('Mul', [inputs[0]!, weight], product),
    node('Add', [product, inputs[0]!], sum),
    node('Softmax', [sum], 'logits', [attribute('axis', [3, axis], [20, 2])]),
  ];
  return [
    ...(nodes ?? own),
    ...more,
    [5, tensorOf(weight, weights)],
    ...inputs.map((name) => valueInfo(11, name)),
    ...outputs.map((name) => valueInfo(12, name)),
  ];
}

const modelOf = (graph: readonly Part[], more: readonly Part[] = [], opset = 17): Buffer =>
  encode([
    [1, 8],
    [7, graph],
    [
      8,
      [
        [1, ''],
        [2, opset],
      ],
    ],
    ...more,
  ]);

function digestOf(model: Buffer, files: Readonly<Record<string, Buffer>> = {}): string | null {
  const paths = new Map(
    Object.entries({ 'model.onnx': model, ...files }).map(([name, content]) => {
      writeFileSync(join(folder, name), content);
      return [name, join(folder, name)];
    }),
  );
  return graphDigest(paths.get('model.onnx')!, paths);
}

const original = () => digestOf(modelOf(graphOf()));

describe('the digest of a graph', () => {
  it.each<[string, () => Buffer]>([
    ['other names', () => modelOf(graphOf({ names: ['w', 'p', 's'] }))],
    [
      'metadata, a producer and documentation',
      () =>
        modelOf(
          [[2, 'graph'], ...graphOf(), [10, 'text']],
          [
            [2, 'me'],
            [14, [[1, 'a']]],
          ],
        ),
    ],
    ['weights as numbers', () => modelOf(graphOf({ weights: [[4, WEIGHTS]] }))],
    [
      'named nodes',
      () =>
        modelOf(
          graphOf({
            nodes: [
              node('Mul', ['input_ids', 'weights'], 'product', [[3, 'first']]),
              node('Add', ['product', 'input_ids'], 'sum', [[6, 'adds']]),
              node('Softmax', ['sum'], 'logits', [attribute('axis', [20, 2], [3, 1], [13, 'text'])]),
            ],
          }),
        ),
    ],
    [
      'an identity',
      () =>
        modelOf(
          graphOf({
            nodes: [
              node('Mul', ['input_ids', 'weights'], 'product'),
              node('Add', ['product', 'input_ids'], 'sum'),
              node('Identity', ['sum'], 'same'),
              node('Softmax', ['same'], 'logits', [attribute('axis', [3, 1])]),
            ],
          }),
        ),
    ],
    ['a node that nothing reads', () => modelOf(graphOf({ more: [node('Relu', ['input_ids'], 'unused')] }))],
    [
      'weights as a constant node',
      () =>
        modelOf(
          graphOf({
            nodes: [
              node('Constant', [], 'constant', [attribute('value', [5, tensorOf('any', [[9, WEIGHTS]])])]),
              node('Mul', ['input_ids', 'constant'], 'product'),
              node('Add', ['product', 'input_ids'], 'sum'),
              node('Softmax', ['sum'], 'logits', [attribute('axis', [3, 1])]),
            ],
          }),
        ),
    ],
    ['an output that the runner does not read', () => modelOf(graphOf({ outputs: ['logits', 'sum'] }))],
    ['an input that nothing reads', () => modelOf(graphOf({ inputs: ['input_ids', 'attention_mask'] }))],
  ])('does not change with %s', (_, changed) => {
    expect(digestOf(changed())).toBe(original());
    expect(original()).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not change with the file of the weights', () => {
    const weights = external({ location: 'weights.bin', offset: '5', length: '12' });
    const file = Buffer.concat([Buffer.from('other'), WEIGHTS, Buffer.from('more')]);
    expect(digestOf(modelOf(graphOf({ weights })), { 'weights.bin': file })).toBe(original());
    file[6]! ^= 1;
    expect(digestOf(modelOf(graphOf({ weights })), { 'weights.bin': file })).not.toBe(original());
  });

  it.each<[string, () => Buffer]>([
    ['a weight', () => modelOf(graphOf({ weights: [[9, floats(0.5, -1, 2.0001)]] }))],
    ['an attribute', () => modelOf(graphOf({ axis: 0 }))],
    ['the operator set', () => modelOf(graphOf(), [], 18)],
    ['an input', () => modelOf(graphOf({ inputs: ['token_type_ids'] }))],
    [
      'an operator',
      () =>
        modelOf(
          graphOf({
            nodes: [
              node('Div', ['input_ids', 'weights'], 'product'),
              node('Add', ['product', 'input_ids'], 'sum'),
              node('Softmax', ['sum'], 'logits', [attribute('axis', [3, 1])]),
            ],
          }),
        ),
    ],
    [
      'a connection',
      () =>
        modelOf(
          graphOf({
            nodes: [
              node('Mul', ['input_ids', 'weights'], 'product'),
              node('Add', ['input_ids', 'product'], 'sum'),
              node('Softmax', ['sum'], 'logits', [attribute('axis', [3, 1])]),
            ],
          }),
        ),
    ],
    [
      'a function',
      () =>
        modelOf(graphOf(), [
          [
            25,
            [
              [1, 'f'],
              [10, 'ai.onnx'],
            ],
          ],
        ]),
    ],
  ])('changes with %s', (_, changed) => {
    expect(digestOf(changed())).not.toBe(original());
  });

  it('reads integers in every form that protobuf allows', () => {
    const shaped = (elements: readonly Part[]) =>
      digestOf(modelOf([[5, tensorOf('logits', elements, { dims: [2], type: INT64 })], valueInfo(12, 'logits')]));
    const raw = Buffer.alloc(16);
    raw.writeBigInt64LE(-1n, 0);
    raw.writeBigInt64LE(300n, 8);
    const forms: readonly (readonly Part[])[] = [
      [[9, raw]],
      [
        [7, -1],
        [7, 300],
      ],
      [[7, Buffer.from([...Array<number>(9).fill(0xff), 1, 0xac, 2])]],
    ];
    expect(new Set(forms.map(shaped)).size).toBe(1);
    expect(
      shaped([
        [7, 1],
        [7, 300],
      ]),
    ).not.toBe(shaped(forms[0]!));
  });

  it('follows values into nested graphs, whatever their names', () => {
    const branching = (inner: string, outer: string) =>
      digestOf(
        modelOf([
          node('Relu', ['input_ids'], outer),
          node('If', ['input_ids'], 'logits', [
            attribute('then_branch', [6, [node('Neg', [outer], inner), valueInfo(12, inner)]]),
            attribute('else_branch', [6, [node('Abs', ['input_ids'], inner), valueInfo(12, inner)]]),
          ]),
          valueInfo(11, 'input_ids'),
          valueInfo(12, 'logits'),
        ]),
      );
    expect(branching('a', 'b')).toBe(branching('c', 'd'));
    expect(branching('a', 'b')).not.toBe(branching('a', 'input_ids'));
  });

  it('is null for a model with names that are too long', () => {
    expect(digestOf(modelOf(graphOf({ names: ['w'.repeat(5000), 'p', 's'] })))).toBeNull();
  });

  it('of a bundle depends on the order of its labels', () => {
    writeFileSync(join(folder, 'model.onnx'), modelOf(graphOf()));
    const files = [{ name: 'model.onnx', path: join(folder, 'model.onnx'), size: 1 }];
    const withLabels = (...labels: readonly string[]) =>
      bundleDigest({ files, purpose: { kind: 'classification', labels } });
    expect(withLabels('yes', 'no')).toBe(withLabels('yes', 'no'));
    expect(withLabels('yes', 'no')).not.toBe(withLabels('no', 'yes'));
  });
});

const shared = join(import.meta.dirname, '../../../../../shared/models');
const hasShared = existsSync(shared);
if (!hasShared) console.warn(`SKIPPED: the digests of real ONNX exports; there is no ${shared}`);

(hasShared ? describe : describe.skip)('real ONNX exports', () => {
  it('have different digests', () => {
    const names = ['sentiment-bow', 'sentiment-cnn', 'hate-bow', 'nli-pair', 'qa-span'];
    const digests = names.map((name) => digestOf(readFileSync(join(shared, name, 'model.onnx'))));
    expect(new Set(digests).size).toBe(names.length);
    expect(digests).not.toContain(null);
  });
});
