import type { HostFacts } from '../hypervisor'

/** How long operations on a simulated machine take, ms. */
export interface Delays {
  start: number
  /** From the power button until the guest is off. */
  shutdown: number
  suspend: number
  /** Pause, unpause, reset, hot-plug. */
  quick: number
  /** Copying a disk from an image, or converting an image. */
  copy: number
}
export const realisticDelays: Delays = { start: 900, shutdown: 1500, suspend: 800, quick: 120, copy: 700 }

/**
 * Faults that happen only on request: to a machine whose name contains one of these words, or to all machines if the
 * word is set in `Faults`.
 */
export const faultNames = [
  /** It does not start. */
  'fault-start',
  /** Its disk is full when it starts. */
  'fault-disk',
  /** It starts and crashes two seconds later. */
  'fault-crash',
  /** It starts, and its guest powers itself off two seconds later. */
  'fault-poweroff',
  /** It takes half a minute to start. */
  'fault-slow',
  /** Its guest ignores the power button. */
  'fault-acpi',
  /** Its guest does not release disks and network interfaces. */
  'fault-busy',
  /** Its memory cannot be saved. */
  'fault-suspend',
  /** It accepts more memory while it runs, but no more vCPUs. */
  'fault-grow',
  /** Its guest does not use memory and vCPUs added while it runs. */
  'fault-deaf',
] as const
export type FaultName = (typeof faultNames)[number]

/** Faults set by tests and worlds. Can be changed at any time. */
export interface Faults {
  machines: Set<FaultName>
  /** Disks cannot be created or grown: there is no space. */
  diskFull: boolean
  /** Free disk space, bytes. */
  freeBytes: number
}

export const simulatedHost: HostFacts = {
  hostname: 'simulated-1',
  cpuModel: 'Simulated processor',
  cpuCores: 65_536,
  // more than enough for 100 000 instances
  ramBytes: 2 ** 50,
  hypervisor: 'simulated',
  version: '1',
  accelerator: 'none',
}
export const simulatedFreeBytes = 2 ** 54
