import { fieldProblem, type Problem } from '../core/problems'
import type { Instance } from './instance'

type Resized = Pick<Instance, 'flavor' | 'max_vcpu' | 'max_mem'>
interface Size {
  vcpus: number
  /** In MiB. */
  ram: number
}

/**
 * Returns the limits for resizing a running instance. The minimum is its current size, because a guest cannot be forced
 * to release resources. The maximum is the headroom reserved at its start.
 */
export const liveResizeLimits = ({ flavor, max_vcpu, max_mem }: Resized) => ({
  min_vcpu: flavor.vcpus,
  max_vcpu: Math.max(flavor.vcpus, max_vcpu ?? 0),
  min_mem: flavor.ram,
  max_mem: Math.max(flavor.ram, max_mem ?? 0),
})

/** Whether an instance can be resized to this size without a restart. */
export function fitsLive(instance: Resized, { vcpus, ram }: Size): boolean {
  const { min_vcpu, max_vcpu, min_mem, max_mem } = liveResizeLimits(instance)
  return vcpus >= min_vcpu && vcpus <= max_vcpu && ram >= min_mem && ram <= max_mem
}

/** Returns the error for a flavor that requires a restart. */
export function liveResizeLimit(instance: Resized): Problem {
  return fieldProblem('flavor', 'compute.live_resize_limit', liveResizeLimits(instance))
}
