import type { HostFacts } from '../hypervisor'

/** How long a simulated machine takes for things, milliseconds. */
export interface Delays {
  start: number
  /** From the power button to the guest being off. */
  shutdown: number
  suspend: number
  /** Pause, unpause, reset, hot-plug. */
  quick: number
  /** One disk copied from an image, or one image converted. */
  copy: number
}
export const realisticDelays: Delays = { start: 900, shutdown: 1500, suspend: 800, quick: 120, copy: 700 }

/**
 * Faults that happen when they are asked for and never otherwise. A machine whose name contains one of these words
 * meets that fault; the same words can be set for all machines.
 */
export const faultNames = [
  /** It does not start. */
  'fault-start',
  /** Its disks are full when it starts. */
  'fault-disk',
  /** It starts and ends by itself two seconds later. */
  'fault-crash',
  /** It starts, and its guest powers itself off two seconds later. */
  'fault-poweroff',
  /** It takes half a minute to start. */
  'fault-slow',
  /** Its guest does not hear the power button. */
  'fault-acpi',
  /** Its guest does not let go of disks and cards. */
  'fault-busy',
  /** Its memory cannot be saved. */
  'fault-suspend',
  /** It takes memory while it runs, and no processors. */
  'fault-grow',
  /** Its guest takes nothing into use that comes while it runs. */
  'fault-deaf',
] as const
export type FaultName = (typeof faultNames)[number]

/** Faults that no machine's name asks for. Everything may be changed while it runs. */
export interface Faults {
  machines: Set<FaultName>
  /** Disks cannot be made or grown: there is no space. */
  diskFull: boolean
  /** Space that is left, bytes. */
  freeBytes: number
}

export const simulatedHost: HostFacts = {
  hostname: 'simulated-1',
  cpuModel: 'Simulated processor',
  cpuCores: 65_536,
  // enough for 100 000 instances and then some
  ramBytes: 2 ** 50,
  hypervisor: 'simulated',
  version: '1',
  accelerator: 'none',
}
export const simulatedFreeBytes = 2 ** 54
