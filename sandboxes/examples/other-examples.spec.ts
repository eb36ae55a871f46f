import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { parseAnswer } from '@assay/contracts';
import { TaskDefinition } from '@assay/contracts/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { otherExamples, type OtherExample } from './examples.js';
import { expectFolder, startExample, type StartedExample } from './started-example.js';

type Pixel = readonly [number, number, number];

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A PNG of 8 bits whose line y is filtered in the y-th way of the five. */
function png(width: number, height: number, pixel: (x: number, y: number) => Pixel): object {
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0]);
  const at = (x: number, y: number, sample: number) => (x < 0 || y < 0 ? 0 : pixel(x, y)[sample]!);
  const lines = Array.from({ length: height }, (_, y) => {
    const samples = Array.from({ length: width * 3 }, (_, index) => {
      const [x, sample] = [Math.floor(index / 3), index % 3];
      const [left, above, corner] = [at(x - 1, y, sample), at(x, y - 1, sample), at(x - 1, y - 1, sample)];
      const nearest = [left, above, corner].sort(
        (a, b) => Math.abs(left + above - corner - a) - Math.abs(left + above - corner - b),
      )[0]!;
      return at(x, y, sample) - [0, left, above, (left + above) >> 1, nearest][y % 5]!;
    });
    return Buffer.from([y % 5, ...samples]);
  });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return { b64: Buffer.concat([signature, ...parts]).toString('base64'), mediaType: 'image/png' };
}

const RED: Pixel = [200, 20, 30];
const BLUE: Pixel = [20, 40, 210];
const mostlyRed = png(20, 15, (x) => (x < 14 ? RED : BLUE));
const mostlyBlue = png(20, 15, (x, y) => (x + y < 10 ? RED : BLUE));

/** Instances of the task, with what the example answers. */
const ANSWERS: Readonly<Record<string, readonly (readonly [object, string])[]>> = {
  'dominant-colour': [
    [{ image: mostlyRed, question: 'What colour is it?' }, 'red'],
    [{ image: mostlyBlue, question: 'What colour is it?' }, 'blue'],
    [{ image: mostlyBlue, question: 'Is it blue?' }, 'yes'],
    [{ image: mostlyBlue, question: 'Is it red?' }, 'no'],
    [{ image: mostlyRed, question: 'How wide is it?' }, '20 pixels'],
  ],
  dictionary: [
    [{ source: 'The dog sleeps.' }, 'Der Hund schläft.'],
    [{ source: 'Good morning, my friend!' }, 'Guten Morgen, mein Freund!'],
    [{ source: 'The xylophone is small' }, 'Das xylophone ist klein'],
    [{ source: '' }, ''],
  ],
};

describe.each(otherExamples)('the example $name', (example: OtherExample) => {
  const file = join(import.meta.dirname, '../../libs/tasks/ready', `${example.task}.yaml`);
  const task = TaskDefinition.parse(parse(readFileSync(file, 'utf8')));
  const answers = ANSWERS[example.name]!;
  let folder: string;
  let server: StartedExample;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), `assay-${example.name}-`));
    server = await startExample(example, folder);
  }, 60_000);

  afterAll(() => {
    server.process.kill();
    rmSync(folder, { recursive: true });
  });

  const post = async (body: string): Promise<{ status: number; body: { predictions: unknown[]; error: string } }> => {
    const response = await fetch(`${server.url}/invocations`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as { predictions: unknown[]; error: string } };
  };

  it('answers the inputs of its task in a form of its output', async () => {
    for (const [instance] of answers) expect(Object.keys(instance)).toEqual(task.inputs.map(({ name }) => name));
    const { status, body } = await post(JSON.stringify({ instances: answers.map(([instance]) => instance) }));
    expect(status).toBe(200);
    const read = body.predictions.map((prediction) => parseAnswer(task.output, prediction));
    expect(read.map((answer) => answer.ok && answer.answer.text)).toEqual(answers.map(([, answer]) => answer));
  });

  it.each([
    '{"instances": [',
    'null',
    '{"inputs": []}',
    '{"instances": [null]}',
    '{"instances": [{"source": 1, "question": "What?", "image": {"b64": "aaaa", "mediaType": "image/png"}}]}',
  ])('says what is wrong with %s, and continues', async (malformed) => {
    const { status, body } = await post(malformed);
    expect(status).toBe(400);
    expect(body.error).toMatch(/\w/);
    expect((await fetch(`${server.url}/ping`)).status).toBe(200);
  });

  it('has a Dockerfile that copies the files of the image, and a README', () => expectFolder(example));
});
