// The messages and field numbers of onnx.proto (ONNX 1.16, IR version 8) for a small network.
import protobuf from 'protobufjs';

const { root } = protobuf.parse(
  `
  syntax = "proto3";
  package onnx;
  message ModelProto { int64 ir_version = 1; string producer_name = 2; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8; }
  message OperatorSetIdProto { string domain = 1; int64 version = 2; }
  message GraphProto {
    repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5;
    repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12;
  }
  message NodeProto {
    repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4; repeated AttributeProto attribute = 5;
  }
  message AttributeProto { string name = 1; int64 i = 3; int32 type = 20; }
  message TensorProto { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message ValueInfoProto { string name = 1; TypeProto type = 2; }
  message TypeProto {
    message Tensor { int32 elem_type = 1; TensorShapeProto shape = 2; }
    Tensor tensor_type = 1;
  }
  message TensorShapeProto {
    message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
    repeated Dimension dim = 1;
  }
`,
  { keepCase: true },
);

const Model = root.lookupType('onnx.ModelProto');
const FLOAT = 1;
const INT64 = 7;
const INT_ATTRIBUTE = 2;

/**
 * @param {{ nodes: object[], initializers: object[], inputs: object[], outputs: object[] }} graph
 * @returns {Uint8Array} the bytes of model.onnx, operator set 17
 */
export function encodeModel({ nodes, initializers, inputs, outputs }) {
  const graph = { name: 'bag-of-words', node: nodes, initializer: initializers, input: inputs, output: outputs };
  const model = { ir_version: 8, producer_name: 'assay-example', graph, opset_import: [{ domain: '', version: 17 }] };
  return Model.encode(Model.fromObject(model)).finish();
}

/** Returns a node with one output; attributes are integers. */
export function node(operator, input, output, attributes = {}) {
  const attribute = Object.entries(attributes).map(([name, i]) => ({ name, i, type: INT_ATTRIBUTE }));
  return { op_type: operator, name: output, input, output: [output], attribute };
}

/** @param {Float32Array} values in row-major order */
export function floats(name, dims, values) {
  return {
    name,
    dims,
    data_type: FLOAT,
    raw_data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  };
}

/** @param {readonly number[]} values */
export function integers(name, values) {
  return {
    name,
    dims: [values.length],
    data_type: INT64,
    raw_data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
  };
}

/** Returns an input or output of the graph. A dimension given as a string may have any size. */
export function value(name, type, dims) {
  const dim = dims.map((size) => (typeof size === 'string' ? { dim_param: size } : { dim_value: size }));
  return { name, type: { tensor_type: { elem_type: type === 'int64' ? INT64 : FLOAT, shape: { dim } } } };
}
