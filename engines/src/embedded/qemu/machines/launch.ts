import { existsSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MachineFault, type MachineNic, type MachineSize, type MachineSpec } from '../../hypervisor'
import type { TapPlug } from '../../../network-model/wanted'
import { fileNames, machineArguments, type EmulatorChoice } from '../devices/arguments'
import { availableRam } from '../host'
import { engineFolder, type Confinement } from '../confinement/confinement'
import { grantFiles, restrictToServer } from '../confinement/grants'
import type { Places } from '../devices/places'
import type { MachineRecord } from './record'
import { isGoneWithin, kill, pause, spawnDetached, type Exit, type ProcessId } from '../../../host/processes'
import { connectQmp, type Qmp } from '../qmp'
import { faultFrom } from '../reasons'
import { lastWords } from '../../../host/reasons'

export interface Launch {
  emulator: string
  choice: EmulatorChoice
  confinement: Confinement
  folder: string
  qmpSocket: string
  spec: MachineSpec
  places: Places
  /** vCPUs and memory added to the spec before a suspend. */
  grown: MachineSize
  hasAgentPort: boolean
  /** Saved memory to restore, as a file; null for a normal start. */
  memory: string | null
  /** Called immediately, so that the process is recorded before anything can fail. */
  onSpawn: (process: ProcessId, place: Pick<MachineRecord, 'namespace' | 'onSwitches'>) => void
}

const connectWithinMs = 30_000

/**
 * Starts a machine's process and waits until it responds, without running the guest yet. If this fails, no process is
 * left behind.
 */
export async function launch(order: Launch): Promise<{ process: ProcessId; exit: Promise<Exit>; qmp: Qmp }> {
  const { emulator, choice, confinement, folder, spec, places, grown, memory, hasAgentPort } = order
  if ((spec.ramMiB + grown.ramMiB) * 1024 * 1024 > (await availableRam())) {
    throw new MachineFault('no_memory', 'The host does not have enough free memory for the virtual machine')
  }
  // read this only once, because networking may become available during the start
  const namespace = confinement.capsule?.id ?? null
  const onSwitches = spec.onSwitches === true && confinement.switches !== null
  const taps = onSwitches ? await plugAll(confinement, spec.nics) : new Map<string, TapPlug>()
  const args = machineArguments(spec, places, choice, {
    ...{ waitForMemory: memory !== null, grown, folder, taps, hasAgentPort },
    wayOut: namespace !== null && !onSwitches,
  })
  await prepareFolder(order)
  const errors = join(folder, fileNames.errors)
  const { file, args: words } = confinement.command(emulator, args, folder, onSwitches)
  const { process, exit } = await spawnDetached(file, words, { folder, errors, input: memory })
  order.onSpawn(process, { namespace, onSwitches })
  // the server writes this file, because QEMU would resolve the whole path and cannot traverse all parent folders
  writeFileSync(join(folder, fileNames.pid), String(process.pid), { mode: 0o600 })
  try {
    return { process, exit, qmp: await connectWhenReady(order.qmpSocket, exit) }
  } catch (error) {
    kill(process, 'SIGKILL')
    await isGoneWithin(process, connectWithinMs)
    const words = await lastWords(errors)
    throw words === null ? error : faultFrom(words)
  }
}

/** Creates taps for interfaces. Throws `failed` with the reason if one cannot be created. */
export async function plugAll({ switches }: Confinement, nics: readonly MachineNic[]): Promise<Map<string, TapPlug>> {
  const taps = new Map<string, TapPlug>()
  for (const { id, port, connected } of nics) {
    if (!switches || !port || !connected) continue
    const tap = await switches.plug(id).catch((error: Error) => {
      throw new MachineFault('failed', error.message)
    })
    taps.set(id, tap)
  }
  return taps
}

async function prepareFolder({ folder, spec, choice, confinement }: Launch): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const at = (name: keyof typeof fileNames) => join(folder, fileNames[name])
  for (const name of ['sockets', 'errors', 'pid'] as const) await rm(at(name), { recursive: true, force: true })
  const nvram = at('nvram')
  // The firmware variables (boot entries) are kept for the life of the machine.
  if (spec.firmware === 'uefi' && choice.uefi && !existsSync(nvram)) await copyFile(choice.uefi.variables, nvram)

  // QEMU may create files only in the folder of sockets, so that it cannot place symbolic links where the server
  // writes.
  await restrictToServer(confinement, folder)
  await mkdir(at('sockets'), { mode: 0o700 })
  await confinement.own(at('sockets'))
  await confinement.provide(at('serialLog'))
  if (existsSync(nvram)) await confinement.own(nvram)
  await confinement.letThrough(dirname(folder))
  await confinement.letThrough(engineFolder(folder))
  await grantFiles(confinement, spec)
}

/** Retries until the process accepts connections, exits, or a timeout expires. */
export async function connectWhenReady(socket: string, exit: Promise<Exit>): Promise<Qmp> {
  let hasEnded = false
  void exit.then(() => (hasEnded = true))
  const end = Date.now() + connectWithinMs
  for (;;) {
    try {
      return await connectQmp(socket, connectWithinMs)
    } catch (error) {
      if (hasEnded || Date.now() > end) throw error
      await pause(10)
    }
  }
}
