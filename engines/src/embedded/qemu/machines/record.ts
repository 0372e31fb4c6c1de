import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineSize, MachineSpec } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import type { Places } from '../devices/places'
import type { ProcessId } from '../../../host/processes'

/** The state of a machine that a server requires after a restart, saved as `machine.json` in the machine's folder. */
export interface MachineRecord {
  /** Current devices, including those attached since the start. */
  spec: MachineSpec
  places: Places
  /** vCPUs and memory that were added since the start. They are required to restore saved memory. */
  grown?: MachineSize
  machineType: string
  accelerator: 'kvm' | 'tcg'
  /** See `EmulatorChoice`. Not written by earlier versions. */
  hyperV?: boolean
  /** Whether the machine fell back to emulation because KVM stopped its guest. Not written by earlier versions. */
  acceleratorFailed?: boolean
  process: ProcessId | null
  /**
   * Network namespace of the process; null without network access. Not written by earlier versions, which used the
   * host's network namespace.
   */
  namespace?: string | null
  /**
   * Whether the process runs in the switch namespace, where only taps provide access. Not written by earlier versions.
   */
  onSwitches?: boolean
  /** Whether the process has a port for a guest agent. Not written by earlier versions, whose machines have none. */
  hasAgentPort?: boolean
  /** Whether a capture may have left file systems of the guest frozen. Not written by earlier versions. */
  mayBeFrozen?: boolean
  /** The machine's state once the process is gone: `off` if the process was asked to end or the guest shut down. */
  ifGone: 'off' | 'crashed'
  reason: string | null
  /** The state before a suspend that has not finished. */
  suspendingFrom: 'running' | 'paused' | null
}

/** Whether user-mode networks may connect to the outside, which is allowed only from the capsule. */
export const hasWayOut = ({ namespace, onSwitches }: Readonly<MachineRecord>) =>
  typeof namespace === 'string' && onSwitches !== true

/** Whether an earlier version started the machine in the host's network, in which case its guest can reach the host. */
export const isUnconfined = ({ namespace, process }: Readonly<MachineRecord>) =>
  process !== null && namespace === undefined

export function readRecord(folder: string): MachineRecord | null {
  try {
    return JSON.parse(readFileSync(join(folder, fileNames.record), 'utf8')) as MachineRecord
  } catch {
    return null
  }
}

/** Writes the record atomically and synchronously, because the server may be killed at any time. */
export function writeRecord(folder: string, record: MachineRecord): void {
  const path = join(folder, fileNames.record)
  writeFileSync(`${path}.part`, JSON.stringify(record, null, 1), { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

/** A restored machine requires the devices in its saved memory, with the current paths of their files. */
export function restoredSpec(saved: MachineSpec, given: MachineSpec): MachineSpec {
  const paths = new Map(given.disks.map(({ id, path }) => [id, path]))
  const disks = saved.disks.map((disk) => ({ ...disk, path: paths.get(disk.id) ?? disk.path }))
  return { ...saved, disks, seed: saved.seed && (given.seed ?? saved.seed) }
}
