import type { HostFacts } from '../hypervisor'

/** How long operations on a simulated machine take, in ms. */
export interface Delays {
  start: number
  /** Time from pressing the power button until the guest is off. */
  shutdown: number
  suspend: number
  /** Pause, unpause, reset, hot-plug. */
  quick: number
  /** Copying a disk from an image, or converting an image. */
  copy: number
  /** Adding a node to compute, or releasing it. */
  node: number
}
export const realisticDelays: Delays = { start: 900, shutdown: 1500, suspend: 800, quick: 120, copy: 700, node: 1500 }

/**
 * Faults that occur only on request: on a machine whose name contains one of these words, or on all machines if the
 * word is set in `Faults`.
 */
export const faultNames = [
  /** The machine does not start. */
  'fault-start',
  /** The disk is full when the machine starts. */
  'fault-disk',
  /** The machine crashes two seconds after it starts. */
  'fault-crash',
  /** The guest powers itself off two seconds after the machine starts. */
  'fault-poweroff',
  /** The machine takes half a minute to start. */
  'fault-slow',
  /** The guest ignores the power button. */
  'fault-acpi',
  /** The guest does not release disks and network interfaces. */
  'fault-busy',
  /** The memory of the machine cannot be saved. */
  'fault-suspend',
  /** The running machine accepts more memory, but no more vCPUs. */
  'fault-grow',
  /** The guest does not use memory and vCPUs that are added while it runs. */
  'fault-deaf',
  /** The guest agent does not answer. */
  'fault-agent',
  /** The node can be neither added to compute nor released. */
  'fault-node',
] as const
export type FaultName = (typeof faultNames)[number]

/** Faults set by tests and worlds. Can be changed at any time. */
export interface Faults {
  machines: Set<FaultName>
  /** Disks cannot be created or grown, because there is no space. */
  diskFull: boolean
  /** Free and used disk space, in bytes. */
  freeBytes: number
  usedBytes: number
}

export const simulatedHost: HostFacts = {
  hostname: 'simulated-1',
  cpuModel: 'Simulated processor',
  cpuCores: 65_536,
  // enough for more than 100 000 instances
  ramBytes: 2 ** 50,
  hypervisor: 'simulated',
  version: '1',
  accelerator: 'none',
}
export const simulatedFreeBytes = 2 ** 54
export const simulatedUsedBytes = 2 ** 53
