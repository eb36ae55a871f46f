import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { DigestTooLarge, tensorDigest, textOf, type TensorFiles } from './tensor-digest.js';
import type { OnnxBundle } from './inspect-onnx-bundle.js';
import { FIXED32, LENGTH_DELIMITED, MalformedProtobuf, ProtobufFile, VARINT } from './protobuf-file.js';

/** The most names of values in a model that gets a digest. The largest language models have about 100,000. */
const MAX_VALUES = 500_000;

/**
 * Returns the SHA-256 of what the model at `path` computes, or null if it has none: its names
 * are too many or too long, or a field has an unexpected form. Two
 * models have the same digest if the outputs that the runner reads come from the same operators with the same
 * attributes, weights, connections and inputs. Names of nodes and values, the order of nodes, documentation,
 * metadata, unused nodes and the place where weights are stored do not count.
 *
 * @param path a model that `readOnnxModel` accepts
 * @param files the other files of the bundle that contain tensors, by name
 * @throws the errors of the file system
 */
export function graphDigest(path: string, files: TensorFiles): string | null {
  const descriptor = openSync(path, 'r');
  try {
    return new GraphReader(new ProtobufFile(descriptor, fstatSync(descriptor).size), files).digest();
  } catch (error) {
    // the inspection does not check fields that are only read here
    if (error instanceof DigestTooLarge || error instanceof MalformedProtobuf) return null;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the SHA-256 of what an inspected bundle computes: its graph, and its labels in the order of the
 * outputs. Null if its graph has no digest. The tokenizer does not count.
 * @throws the errors of the file system
 */
export function bundleDigest({ files, purpose }: Pick<OnnxBundle, 'files' | 'purpose'>): string | null {
  const paths = new Map(files.map(({ name, path }) => [name, path]));
  const graph = graphDigest(paths.get('model.onnx')!, paths);
  return graph === null ? null : hashed(graph, purpose.kind === 'span' ? [] : purpose.labels);
}

/** The digests of values by name, with those of the graph around this one. */
class Scope {
  private readonly own = new Map<string, string>();

  constructor(private readonly outer: Scope | null) {}

  set(name: string, digest: string): void {
    this.own.set(name, digest);
  }

  /** An empty name is an optional input that is absent. */
  digestOf(name: string): string {
    return this.own.get(name) ?? this.outer?.digestOf(name) ?? (name === '' ? '' : hashed('unknown', name));
  }
}

/** A message of a file: its first byte, and the byte after its last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface GraphParts {
  readonly nodes: readonly Span[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

class GraphReader {
  private values = 0;

  constructor(
    private readonly file: ProtobufFile,
    private readonly files: TensorFiles,
  ) {}

  digest(): string {
    const opsets: string[] = [];
    const functions: string[] = [];
    let graph = '';
    this.fields({ start: 0, end: this.file.size }, (field) => {
      if (field === 7) graph = this.graph(this.span(), new Scope(null), 0);
      else if (field === 8) opsets.push(this.opset(this.span()));
      else if (field === 25) functions.push(this.bytes(this.span()));
      else return false;
      return true;
    });
    return hashed('model', opsets.sort(), functions.sort(), graph);
  }

  private graph(span: Span, scope: Scope, depth: number): string {
    const { nodes, inputs, outputs } = this.graphParts(span, scope, depth);
    for (const node of nodes) this.node(node, scope, depth);
    this.file.position = span.end;
    const read = depth === 0 ? readOutputs(outputs) : outputs;
    const digests = read.map((name) => scope.digestOf(name));
    return hashed('graph', depth === 0 ? null : inputs.length, digests);
  }

  /** Reads all of a graph except its nodes, which may refer to what comes later. */
  private graphParts(span: Span, scope: Scope, depth: number): GraphParts {
    const nodes: Span[] = [];
    const inputs: string[] = [];
    const outputs: string[] = [];
    const initializers = new Map<string, string>();
    this.fields(span, (field) => {
      if (field === 1) nodes.push(this.skipped());
      else if (field === 5) {
        const { name, digest } = tensorDigest(this.file, this.span(), this.files);
        initializers.set(this.counted(name), digest);
      } else if (field === 11) inputs.push(this.valueName(this.span()));
      else if (field === 12) outputs.push(this.valueName(this.span()));
      else if (field === 15) {
        const { name, digest } = this.sparse(this.span());
        initializers.set(this.counted(name), digest);
      } else return false;
      return true;
    });
    const needed = inputs.filter((name) => !initializers.has(name));
    for (const [place, name] of needed.entries()) {
      scope.set(name, depth === 0 ? hashed('input', name) : hashed('input', depth, place));
    }
    for (const [name, digest] of initializers) scope.set(name, digest);
    return { nodes, inputs: needed, outputs };
  }

  /** Adds the outputs of a node to the scope. */
  private node(span: Span, scope: Scope, depth: number): void {
    const inputs: string[] = [];
    const outputs: string[] = [];
    const attributes: { readonly name: string; readonly digest: string; readonly tensor: string | null }[] = [];
    let [operator, domain, overload] = ['', '', ''];
    this.fields(span, (field) => {
      if (field === 1) inputs.push(scope.digestOf(this.name()));
      else if (field === 2) outputs.push(this.name());
      else if (field === 4) operator = textOf(this.file);
      else if (field === 5) attributes.push(this.attribute(this.span(), scope, depth));
      else if (field === 7) domain = textOf(this.file);
      else if (field === 8) overload = textOf(this.file);
      else return false;
      return true;
    });
    const isPlain = domain === '' || domain === 'ai.onnx';
    const constant = isPlain && operator === 'Constant' && attributes.length === 1 ? attributes[0]!.tensor : null;
    if (constant !== null) scope.set(outputs[0] ?? '', constant);
    else if (isPlain && operator === 'Identity' && inputs.length === 1) scope.set(outputs[0] ?? '', inputs[0]!);
    else {
      const named = attributes.map(({ name, digest }) => [name, digest]).sort();
      const digest = hashed('node', isPlain ? '' : domain, operator, overload, named, inputs);
      for (const [place, name] of outputs.entries()) scope.set(name, hashed('output', digest, place));
    }
  }

  private attribute(span: Span, scope: Scope, depth: number) {
    const values = new Map<number, string[]>();
    const add = (field: number, value: string) => {
      values.set(field, [...(values.get(field) ?? []), value]);
    };
    const lists = new Map<number, Hash>();
    let name = '';
    let tensor: string | null = null;
    this.fields(span, (field, wireType) => {
      if (field === 1) name = textOf(this.file);
      else if (field === 5) add(field, (tensor = tensorDigest(this.file, this.span(), this.files).digest));
      else if (field === 6 || field === 11) add(field, this.graph(this.span(), new Scope(scope), depth + 1));
      else if (field === 7) this.floats(hashOf(lists, field), wireType);
      else if (field === 8) this.integers(hashOf(lists, field), wireType);
      else if (field === 10) add(field, tensorDigest(this.file, this.span(), this.files).digest);
      else if (field === 22 || field === 23) add(field, this.sparse(this.span()).digest);
      // the documentation does not count, and the type follows from the fields that are set
      else if (field === 13 || field === 20) return false;
      else if (wireType === LENGTH_DELIMITED) add(field, this.bytes(this.span()));
      else add(field, this.number(wireType));
      return true;
    });
    for (const [field, list] of lists) add(field, list.digest('hex'));
    const all = [...values].sort(([one], [other]) => one - other);
    return { name, digest: hashed('attribute', name, all), tensor: name === 'value' ? tensor : null };
  }

  private sparse(span: Span): { readonly name: string; readonly digest: string } {
    const sizes = createHash('sha256');
    let [name, values, indices] = ['', '', ''];
    this.fields(span, (field, wireType) => {
      if (field === 1) ({ name, digest: values } = tensorDigest(this.file, this.span(), this.files));
      else if (field === 2) indices = tensorDigest(this.file, this.span(), this.files).digest;
      else if (field === 3) this.integers(sizes, wireType);
      else return false;
      return true;
    });
    return { name, digest: hashed('sparse', values, indices, sizes.digest('hex')) };
  }

  private opset(span: Span): string {
    let domain = '';
    let version = '';
    this.fields(span, (field, wireType) => {
      if (field === 1) domain = textOf(this.file);
      else if (field === 2) version = this.number(wireType);
      else return false;
      return true;
    });
    return hashed(domain === 'ai.onnx' ? '' : domain, version);
  }

  private valueName(span: Span): string {
    let name = '';
    this.fields(span, (field) => {
      if (field !== 1) return false;
      name = this.name();
      return true;
    });
    return name;
  }

  /** Adds integers to a hash: one, or several that are packed. */
  private integers(list: Hash, wireType: number): void {
    const end = wireType === LENGTH_DELIMITED ? this.file.end(this.file.size) : null;
    do {
      if (end !== null && this.file.position >= end) break;
      list.update(`${this.file.varint()} `);
    } while (end !== null);
  }

  /** Adds floats of 4 bytes to a hash: one, or several that are packed. */
  private floats(list: Hash, wireType: number): void {
    const end = wireType === LENGTH_DELIMITED ? this.file.end(this.file.size) : this.file.position + 4;
    for (const piece of this.file.pieces(end)) list.update(piece);
  }

  private number(wireType: number): string {
    if (wireType === VARINT) return String(this.file.varint());
    const { position } = this.file;
    return this.bytes({ start: position, end: position + (wireType === FIXED32 ? 4 : 8) });
  }

  /**
   * Reads the fields of a message.
   * @param read reads the value of a field, or returns false to skip it
   */
  private fields({ start, end }: Span, read: (field: number, wireType: number) => boolean): void {
    this.file.position = start;
    while (this.file.position < end) {
      const { field, wireType } = this.file.tag();
      if (!read(field, wireType)) this.file.skip(wireType, end);
    }
    this.file.position = end;
  }

  /** Returns the length-delimited value at the current position. Its reader leaves the position at its end. */
  private span(): Span {
    const end = this.file.end(this.file.size);
    return { start: this.file.position, end };
  }

  private skipped(): Span {
    const span = this.span();
    this.file.position = span.end;
    this.count();
    return span;
  }

  private bytes({ start, end }: Span): string {
    const hash = createHash('sha256');
    this.file.position = start;
    for (const piece of this.file.pieces(end)) hash.update(piece);
    return hash.digest('hex');
  }

  private name(): string {
    return this.counted(textOf(this.file));
  }

  private counted(name: string): string {
    this.count();
    return name;
  }

  private count(): void {
    if (++this.values > MAX_VALUES) throw new DigestTooLarge();
  }
}

/** Returns the outputs of a model that the runner reads, by the names and in the order that it uses. */
function readOutputs(outputs: readonly string[]): readonly string[] {
  const spans = ['start_logits', 'end_logits'];
  if (spans.every((name) => outputs.includes(name))) return spans;
  return outputs.includes('logits') ? ['logits'] : outputs.slice(0, 1);
}

function hashOf(hashes: Map<number, Hash>, field: number): Hash {
  const hash = hashes.get(field) ?? createHash('sha256');
  hashes.set(field, hash);
  return hash;
}

const hashed = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
