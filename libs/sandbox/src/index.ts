// For: running an untrusted model within limits; making a submitted archive safe to load.
// Knows: archives, containers, bytes on a socket.
// Must not know: any task, dataset, label or metric; what a response means.
export { type FakeModel, fakeModel, type FakeReply, FakeSandboxDriver } from './fake-sandbox.js';
export { DockerArchiveWriter } from './image-archive/docker-archive-writer.js';
export { isolateImageArchive } from './image-archive/isolate-image-archive.js';
export { rebuildImageArchive } from './image-archive/rebuild-image-archive.js';
export { bundleDigest } from './onnx-bundle/graph-digest.js';
export { type BundleInspection, inspectOnnxBundle } from './onnx-bundle/inspect-onnx-bundle.js';
export {
  type InstallableImage,
  type InvocationLimits,
  type InvocationOutcome,
  type MemoryReading,
  type ModelFault,
  type Sandbox,
  type SandboxData,
  type SandboxDriver,
  type SandboxSpecification,
  SandboxUnavailable,
  type StartOutcome,
} from './sandbox.js';
