import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostFacts, Hypervisor, MachineState } from '../hypervisor'
import { openPretendDataplane, type PretendDataplane } from './dataplane'
import { openDisks } from './disks'
import { openReaders } from './file-reader'
import { openOtherNodes } from './other-nodes'
import { openMachines } from './machines'
import {
  realisticDelays,
  simulatedFreeBytes,
  simulatedHost,
  simulatedUsedBytes,
  type Delays,
  type Faults,
} from './options'
import { openStateLog } from './state-log'
import { openTierEncryption } from './tier-encryption'

export interface SimulatedOptions {
  /** Folder for the machine states, which outlive the server like real machines do. */
  folder: string
  delays?: Partial<Delays>
  host?: Partial<HostFacts>
}

export interface SimulatedHypervisor extends Hypervisor {
  readonly kind: 'simulated'
  readonly dataplane: PretendDataplane
  /** Active faults. Can be changed at any time. */
  readonly faults: Faults
  /** Ends a machine unexpectedly: its process dies, or its guest powers itself off. */
  happen(id: string, state: 'crashed' | 'off', reason?: string): void
  /**
   * For worlds: adds many machines at once, without delays or events. From then on, machines are not reconciled when
   * the server starts. If there are only a few, set `settles` to keep reconciling them.
   */
  simulate(
    machines: { id: string; name: string; state: MachineState; vcpus: number; ramMiB: number }[],
    options?: { settles: boolean },
  ): void
}

/** Opens a simulated hypervisor for worlds of 100 000 instances, for demos, and for rare faults. */
export function openSimulated({ folder, delays, host }: SimulatedOptions): SimulatedHypervisor {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const world = join(folder, 'world')
  const log = openStateLog(join(folder, 'machines.jsonl'))
  const faults: Faults = {
    ...{ machines: new Set(), diskFull: false, freeBytes: simulatedFreeBytes, usedBytes: simulatedUsedBytes },
  }
  const allDelays = { ...realisticDelays, ...delays }
  const { machines, onEvent, happen, canFreeze, close } = openMachines({ log, delays: allDelays, faults })
  return {
    kind: 'simulated',
    host: { ...simulatedHost, ...host },
    guestNetwork: () => ({ problem: null }),
    dataplane: openPretendDataplane(),
    get settlesAtStart() {
      return !existsSync(world)
    },
    imageWorker: () => ({ problem: null }),
    acceleration: () => ({ problem: null }),
    machines,
    otherNodes: openOtherNodes(allDelays, faults),
    disks: openDisks(allDelays, faults, canFreeze),
    fileReaders: openReaders(allDelays),
    tierEncryption: openTierEncryption(join(folder, 'tier-encryption.json'), faults),
    onEvent,
    faults,
    happen: (id, state, reason) => happen(id, state, reason ?? null),
    simulate(many, { settles } = { settles: false }) {
      if (!settles) writeFileSync(world, '')
      const since = Date.now() - 3_600_000
      log.write(many.map((machine) => ({ ...machine, since })))
    },
    async close() {
      close()
      log.close()
    },
  }
}
