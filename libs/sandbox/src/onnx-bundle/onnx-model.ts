import { closeSync, fstatSync, openSync } from 'node:fs';
import { bundleRefused, quoted } from '../refusal.js';
import { elementsOf, readSizes, readTensor, type FileSizes } from './onnx-tensor.js';
import { LENGTH_DELIMITED, MalformedProtobuf, ProtobufFile, VARINT } from './protobuf-file.js';

/** The interface that a model declares, and the files that it needs. */
export interface OnnxModel {
  /** The version of each operator set, by domain; `''` is ONNX's own. */
  readonly opset: Readonly<Record<string, number>>;
  /** Names of the inputs that the graph needs. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Names of the other files that contain tensors. */
  readonly externalFiles: readonly string[];
}

/** The most bytes of a model: the limit of a protobuf message, 2 GiB. */
const MAX_MODEL = 2 ** 31 - 1;
const MAX_DEPTH = 64;
/** The most fields. The largest language models that fit into one file have about 100,000. */
const MAX_FIELDS = 4_000_000;
const MAX_TEXT = 1024;
/** The most characters of all stored names: of initializers, inputs, outputs and files. */
const MAX_NAMES = 16_000_000;

/** The newest version of the file format (`ir_version`) that ONNX Runtime 1.30 loads. */
export const NEWEST_FORMAT = 13;
/** The newest version of each operator set that ONNX Runtime 1.30 loads, by domain. */
export const NEWEST_OPSETS: Readonly<Record<string, number>> = {
  '': 26,
  'ai.onnx': 26,
  'ai.onnx.ml': 5,
  'com.microsoft': 1,
};

type MessageName =
  | 'ModelProto'
  | 'OperatorSetIdProto'
  | 'GraphProto'
  | 'NodeProto'
  | 'AttributeProto'
  | 'SparseTensorProto'
  | 'TrainingInfoProto'
  | 'FunctionProto'
  | 'ValueInfoProto'
  | 'TypeProto'
  | 'TypeProto.Nested';

type Field =
  | { readonly kind: 'message' | 'messages'; readonly of: MessageName }
  | { readonly kind: 'tensor' | 'tensors' }
  | { readonly kind: 'domain' }
  | { readonly kind: 'name' }
  | { readonly kind: 'call'; readonly part: 'name' | 'overload' }
  | { readonly kind: 'version' }
  | { readonly kind: 'sizes' };

const one = (of: MessageName): Field => ({ kind: 'message', of });
const many = (of: MessageName): Field => ({ kind: 'messages', of });

/**
 * The fields of onnx.proto (ONNX 1.22) that contain messages or something that is checked; others
 * are skipped.
 */
const MESSAGES: Readonly<Record<MessageName, Readonly<Record<number, Field>>>> = {
  ModelProto: {
    1: { kind: 'version' },
    7: one('GraphProto'),
    8: many('OperatorSetIdProto'),
    20: many('TrainingInfoProto'),
    25: many('FunctionProto'),
  },
  OperatorSetIdProto: { 1: { kind: 'domain' }, 2: { kind: 'version' } },
  GraphProto: {
    1: many('NodeProto'),
    5: { kind: 'tensors' },
    11: many('ValueInfoProto'),
    12: many('ValueInfoProto'),
    13: many('ValueInfoProto'),
    15: many('SparseTensorProto'),
  },
  NodeProto: {
    4: { kind: 'call', part: 'name' },
    5: many('AttributeProto'),
    7: { kind: 'domain' },
    8: { kind: 'call', part: 'overload' },
  },
  AttributeProto: {
    5: { kind: 'tensor' },
    6: one('GraphProto'),
    10: { kind: 'tensors' },
    11: many('GraphProto'),
    14: one('TypeProto'),
    15: many('TypeProto'),
    22: one('SparseTensorProto'),
    23: many('SparseTensorProto'),
  },
  SparseTensorProto: { 1: { kind: 'tensor' }, 2: { kind: 'tensor' }, 3: { kind: 'sizes' } },
  TrainingInfoProto: { 1: one('GraphProto'), 2: one('GraphProto') },
  FunctionProto: {
    1: { kind: 'call', part: 'name' },
    7: many('NodeProto'),
    9: many('OperatorSetIdProto'),
    10: { kind: 'domain' },
    11: many('AttributeProto'),
    12: many('ValueInfoProto'),
    13: { kind: 'call', part: 'overload' },
  },
  ValueInfoProto: { 1: { kind: 'name' }, 2: one('TypeProto') },
  TypeProto: {
    4: one('TypeProto.Nested'),
    5: one('TypeProto.Nested'),
    9: one('TypeProto.Nested'),
  },
  // Sequence and Optional: elem_type 1; Map: key_type 1 (a number), value_type 2
  'TypeProto.Nested': { 1: many('TypeProto'), 2: many('TypeProto') },
};

/**
 * Reads the model at `path` as protobuf, without loading it into a runtime: its structure and the
 * size of every tensor, but no weights.
 * @param sizes the other files of the bundle, by name
 * @throws Refusal if the model is malformed or not acceptable
 */
export function readOnnxModel(path: string, sizes: FileSizes): OnnxModel {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (size > MAX_MODEL) {
      throw bundleRefused(
        `model.onnx has ${size} bytes; the limit is ${MAX_MODEL}. Store its weights as external data.`,
      );
    }
    return new ModelReader(new ProtobufFile(descriptor, size), sizes).read();
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error;
    throw bundleRefused(`model.onnx is not an ONNX model: at byte ${error.at}, ${error.message}.`, { cause: error });
  } finally {
    closeSync(descriptor);
  }
}

class ModelReader {
  private fields = 0;
  private names = 0;
  private readonly opset: Record<string, number> = {};
  private readonly inputs: string[] = [];
  private readonly outputs: string[] = [];
  private readonly externalFiles = new Set<string>();
  private readonly initializers = new Set<string>();
  /** The functions that each function of the model calls. */
  private readonly functions = new Map<string, ReadonlySet<string>>();
  /** The operators that the function that is being read calls. */
  private calls = new Set<string>();
  private format = 0;
  private hasGraph = false;

  constructor(
    private readonly file: ProtobufFile,
    private readonly sizes: FileSizes,
  ) {}

  private readonly count = (): void => {
    if (++this.fields > MAX_FIELDS) throw bundleRefused(`model.onnx has more than ${MAX_FIELDS} fields.`);
  };

  read(): OnnxModel {
    this.message('ModelProto', this.file.size, ['ModelProto']);
    if (!this.hasGraph) throw bundleRefused('model.onnx is not an ONNX model: it has no graph.');
    this.checkVersions();
    this.checkCalls();
    const { opset, outputs } = this;
    // before version 4 of the format, weights were listed among the inputs
    const inputs = this.inputs.filter((name) => !this.initializers.has(name));
    return { opset, inputs, outputs, externalFiles: [...this.externalFiles].sort() };
  }

  /**
   * Reads the message up to `end`.
   * @param path the messages around this one, outermost first, and itself last; for a
   * ValueInfoProto with its field number
   */
  private message(name: MessageName, end: number, path: readonly string[]): void {
    if (path.length > MAX_DEPTH) {
      throw bundleRefused(`model.onnx is nested too deeply: the limit is ${MAX_DEPTH} messages.`);
    }
    const seen = new Set<number>();
    const sizes: number[] = [];
    const call = { name: '', overload: '' };
    let domain = '';
    let version = 0;
    while (this.file.position < end) {
      this.count();
      const { field, wireType } = this.file.tag();
      const known = MESSAGES[name][field];
      if (known === undefined) {
        this.file.skip(wireType, end);
        continue;
      }
      if (known.kind === 'sizes') {
        this.sparseSizes(sizes, wireType, end);
        continue;
      }
      const isNumber = known.kind === 'version' || (name === 'TypeProto.Nested' && wireType === VARINT);
      if (wireType !== (isNumber ? VARINT : LENGTH_DELIMITED)) {
        throw new MalformedProtobuf(
          `field ${field} of a ${name} has the unexpected wire type ${wireType}`,
          this.file.position,
        );
      }
      const repeats = known.kind === 'messages' || known.kind === 'tensors';
      // parsers merge the two into a message that was not checked
      if (!repeats && seen.has(field)) throw bundleRefused(`model.onnx has a ${name} with the field ${field} twice.`);
      seen.add(field);
      switch (known.kind) {
        case 'message':
        case 'messages':
          if (isNumber) this.file.skip(wireType, end);
          else
            this.message(known.of, this.file.end(end), [
              ...path,
              `${known.of}${known.of === 'ValueInfoProto' ? String(field) : ''}`,
            ]);
          break;
        case 'tensor':
        case 'tensors':
          this.tensor(end, path);
          break;
        case 'domain':
          domain = this.checkedDomain(this.file.text(end, MAX_TEXT));
          break;
        case 'name':
          this.valueName(this.file.text(end, MAX_TEXT), path);
          break;
        case 'call':
          if (path[1] === 'FunctionProto') call[known.part] = this.kept(this.file.text(end, MAX_TEXT));
          else this.file.skip(wireType, end);
          break;
        case 'version':
          version = this.file.int64();
          break;
      }
    }
    if (this.file.position !== end) throw new MalformedProtobuf(`a ${name} ends within a field`, this.file.position);
    if (name === 'OperatorSetIdProto' && path.length === 2) this.opset[domain] = version;
    if (name === 'GraphProto' && path.length === 2) this.hasGraph = true;
    if (name === 'ModelProto') this.format = version;
    if (path[1] !== 'FunctionProto') return;
    const operator = JSON.stringify([domain === 'ai.onnx' ? '' : domain, call.name, call.overload]);
    if (name === 'NodeProto') this.calls.add(operator);
    if (name === 'FunctionProto') {
      this.functions.set(operator, this.calls);
      this.calls = new Set();
    }
  }

  /** Refuses versions that the runtime cannot load. */
  private checkVersions(): void {
    const versions = Object.entries(this.opset).map(
      ([domain, version]) => [`the operator set ${domain || 'ai.onnx'}`, version, NEWEST_OPSETS[domain]!] as const,
    );
    for (const [what, version, newest] of [['the ONNX format', this.format, NEWEST_FORMAT] as const, ...versions]) {
      if (version <= newest) continue;
      throw bundleRefused(
        `model.onnx needs version ${version} of ${what}. The runner supports versions up to ${newest}. Export the model with one of them.`,
      );
    }
  }

  /** Refuses functions that call themselves, directly or through others: no runtime loads them. */
  private checkCalls(): void {
    const done = new Set<string>();
    const open = new Set<string>();
    const visit = (name: string): void => {
      if (open.has(name)) throw bundleRefused('model.onnx has a function that calls itself.');
      const calls = this.functions.get(name);
      if (done.has(name) || calls === undefined) return;
      if (open.size >= MAX_DEPTH) {
        throw bundleRefused(`The functions of model.onnx call each other over ${MAX_DEPTH} levels.`);
      }
      open.add(name);
      for (const called of calls) visit(called);
      open.delete(name);
      done.add(name);
    };
    for (const name of this.functions.keys()) visit(name);
  }

  private tensor(parentEnd: number, path: readonly string[]): void {
    if (path.length >= MAX_DEPTH) {
      throw bundleRefused(`model.onnx is nested too deeply: the limit is ${MAX_DEPTH} messages.`);
    }
    const end = this.file.end(parentEnd);
    const { name, externalFile } = readTensor(this.file, end, this.sizes, this.count);
    if (externalFile !== null) this.externalFiles.add(externalFile);
    if (path.length === 2 && path[1] === 'GraphProto') this.initializers.add(this.kept(name));
  }

  /** Checks the shape of a sparse tensor, which a runtime expands into a dense one. */
  private sparseSizes(sizes: number[], wireType: number, end: number): void {
    const fault = (what: string) => bundleRefused(`In model.onnx, a sparse tensor ${what}.`);
    readSizes(this.file, wireType, end, sizes, fault);
    if (elementsOf(sizes) === null) throw fault('has too many elements to count');
  }

  private kept(name: string): string {
    this.names += name.length;
    if (this.names > MAX_NAMES) throw bundleRefused(`The names in model.onnx have more than ${MAX_NAMES} characters.`);
    return name;
  }

  private checkedDomain(domain: string): string {
    if (Object.hasOwn(NEWEST_OPSETS, domain)) return domain;
    throw bundleRefused(
      `model.onnx uses operators of the domain ${quoted(domain)}. Only those of ONNX, ai.onnx.ml and com.microsoft are supported.`,
    );
  }

  private valueName(name: string, path: readonly string[]): void {
    if (path.length !== 3 || path[1] !== 'GraphProto') return;
    if (path[2] === 'ValueInfoProto11') this.inputs.push(this.kept(name));
    if (path[2] === 'ValueInfoProto12') this.outputs.push(this.kept(name));
  }
}
