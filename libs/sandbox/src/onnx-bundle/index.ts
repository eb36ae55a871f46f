export {
  inspectOnnxBundle,
  type BundleFile,
  type BundleInspection,
  type BundleLimits,
  type OnnxBundle,
} from './inspect-onnx-bundle.js';
export type { BundleRefusalCode } from './bundle-refusal.js';
export type { BundlePurpose } from './bundle-settings.js';
