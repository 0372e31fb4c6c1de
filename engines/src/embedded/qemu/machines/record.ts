import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineSize, MachineSpec } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import type { Places } from '../devices/places'
import type { ProcessId } from '../../../host/processes'

/** The state of a machine that a server needs after a restart; `machine.json` in its folder. */
export interface MachineRecord {
  /** Current devices, including those attached since the start. */
  spec: MachineSpec
  places: Places
  /** vCPUs and memory added since the start, which restoring saved memory requires. */
  grown?: MachineSize
  machineType: string
  accelerator: 'kvm' | 'tcg'
  /** As in `EmulatorChoice`. Not written by earlier versions. */
  hyperV?: boolean
  /** Whether it fell back to emulation because KVM stopped its guest. Not written by earlier versions. */
  acceleratorFailed?: boolean
  process: ProcessId | null
  /**
   * Network namespace of the process; null without network access. Not written by earlier versions, which used that of
   * the host.
   */
  namespace?: string | null
  /**
   * Whether the process runs in the namespace of the switches, where only taps give access. Not written by earlier
   * versions.
   */
  onSwitches?: boolean
  /** State once the process is gone: `off` after a request to end, or if the guest shut down. */
  ifGone: 'off' | 'crashed'
  reason: string | null
  /** The state before an unfinished suspend. */
  suspendingFrom: 'running' | 'paused' | null
}

/** Whether user-mode networks may reach the outside: only from the capsule. */
export const hasWayOut = ({ namespace, onSwitches }: Readonly<MachineRecord>) =>
  typeof namespace === 'string' && onSwitches !== true

/** Whether an earlier version started it in the network of the host, which its guest can reach. */
export const isUnconfined = ({ namespace, process }: Readonly<MachineRecord>) =>
  process !== null && namespace === undefined

export function readRecord(folder: string): MachineRecord | null {
  try {
    return JSON.parse(readFileSync(join(folder, fileNames.record), 'utf8')) as MachineRecord
  } catch {
    return null
  }
}

/** Written atomically and synchronously, because the server may be killed at any time. */
export function writeRecord(folder: string, record: MachineRecord): void {
  const path = join(folder, fileNames.record)
  writeFileSync(`${path}.part`, JSON.stringify(record, null, 1), { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

/** A restored machine needs the devices of its saved memory, with the current paths of their files. */
export function restoredSpec(saved: MachineSpec, given: MachineSpec): MachineSpec {
  const paths = new Map(given.disks.map(({ id, path }) => [id, path]))
  const disks = saved.disks.map((disk) => ({ ...disk, path: paths.get(disk.id) ?? disk.path }))
  return { ...saved, disks, seed: saved.seed && (given.seed ?? saved.seed) }
}
