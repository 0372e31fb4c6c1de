import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineSize, MachineSpec } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import type { Places } from '../devices/places'
import type { ProcessId } from '../../../host/processes'

/** What must be known of a machine after the server was restarted; `machine.json` in its folder. */
export interface MachineRecord {
  /** As it is wired now: with what was attached since the start. */
  spec: MachineSpec
  places: Places
  /** What was added to the spec's processors and memory since the start; saved memory must find it again. */
  grown?: MachineSize
  machineType: string
  accelerator: 'kvm' | 'tcg'
  /** As `EmulatorChoice` has it. Earlier versions wrote none. */
  hyperV?: boolean
  /** Whether it runs by emulation as KVM stopped its guest. Earlier versions wrote none. */
  acceleratorFailed?: boolean
  process: ProcessId | null
  /** The network namespace of the process, null where it has no way out. Earlier versions wrote none: it is in the host's. */
  namespace?: string | null
  /** Whether the process runs where the switches are, from where there is no other way out. Earlier versions wrote none. */
  onSwitches?: boolean
  /** What the machine is once its process is gone: `off` as soon as it was told to end, or its guest switched off. */
  ifGone: 'off' | 'crashed'
  reason: string | null
  /** The state before a suspend that has not ended. */
  suspendingFrom: 'running' | 'paused' | null
}

/** Whether its cards may lead anywhere: only from a namespace of the guests. */
export const hasWayOut = ({ namespace, onSwitches }: Readonly<MachineRecord>) =>
  typeof namespace === 'string' && onSwitches !== true

/** Started by an earlier version, in the host's own network: its cards led to the host as well. */
export const isUnconfined = ({ namespace, process }: Readonly<MachineRecord>) =>
  process !== null && namespace === undefined

export function readRecord(folder: string): MachineRecord | null {
  try {
    return JSON.parse(readFileSync(join(folder, fileNames.record), 'utf8')) as MachineRecord
  } catch {
    return null
  }
}

/** In one piece, and before the caller goes on: the process may be killed at any time. */
export function writeRecord(folder: string, record: MachineRecord): void {
  const path = join(folder, fileNames.record)
  writeFileSync(`${path}.part`, JSON.stringify(record, null, 1), { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

/** The devices of saved memory are those of its time; where their files are now, only the caller knows. */
export function restoredSpec(saved: MachineSpec, given: MachineSpec): MachineSpec {
  const paths = new Map(given.disks.map(({ id, path }) => [id, path]))
  const disks = saved.disks.map((disk) => ({ ...disk, path: paths.get(disk.id) ?? disk.path }))
  return { ...saved, disks, seed: saved.seed && (given.seed ?? saved.seed) }
}
