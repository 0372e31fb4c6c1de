import { closeSync, constants, mkdirSync, openSync, readdirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hypervisor, HypervisorMissing } from '../hypervisor'
import { diskReserveBytes } from '../limits'
import { openHostNetworks } from '../dataplane/host-networks'
import { networkUsers } from '../dataplane/services/users'
import { inWords, whyUnavailable } from '../dataplane/probe'
import { confine } from './confinement/confinement'
import { diskCaptures } from './disks/capture'
import { openDisks } from './disks/disks'
import { closeToOthers } from './confinement/grants'
import { hostFacts } from './host'
import { openImageWorker } from '../../image-files/image-worker'
import { createBy } from './disks/image-tool'
import { copyThroughMachine } from './disks/live-copy'
import { diskSnapshots } from './disks/snapshots'
import type { Log } from '../../ports/records'
import { emulationProblem } from './machines/acceleration'
import { openMachines } from './machines/machines'
import { openReaders } from './readers/readers'
import { probe, type Programs } from './probe'
import { folderEncryption } from './tier-encryption'
import { readRecord } from './machines/record'

export interface QemuOptions {
  /** The parent folder of all hypervisor folders. `disks.free()` reports the free space on its file system. */
  folder: string
  log: Log
  /** Space to keep free while copying disks, in bytes. */
  reserveBytes?: number
  /** Programs to use instead of those in `PATH`. */
  programs?: Partial<Programs>
}

/**
 * Opens the QEMU hypervisor. Each machine is a separate QEMU process, which outlives the server and is adopted by the
 * next server process that opens the folder. Only one server may have a folder open at a time.
 */
export async function openQemu({
  folder,
  log,
  reserveBytes = diskReserveBytes,
  programs,
}: QemuOptions): Promise<Hypervisor | HypervisorMissing> {
  const machinesFolder = join(folder, 'machines')
  mkdirSync(machinesFolder, { recursive: true, mode: 0o700 })
  const all: Programs = { emulator: 'qemu-system-x86_64', imageTool: 'qemu-img', ...programs }

  // The path of a Unix socket is limited to 107 bytes, but the path of a data folder may be longer. This path refers to
  // the same folder for all processes of this user while the folder is held open here. (QEMU itself runs in the
  // folder.)
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const shortFolder = `/proc/${process.pid}/fd/${held}`

  const users = await networkUsers().catch((error: Error) => error)
  if (users instanceof Error) {
    closeSync(held)
    return { missing: [], advice: users.message }
  }
  const user = users.vm
  const networks = await openHostNetworks({
    folder: join(folder, 'network'),
    networksFolder: join(folder, 'networks'),
    ...{ users, log, machines: () => processesIn(machinesFolder) },
  })
  const { dataplane, facts } = networks
  const whyNoWayOut = () => (networks.capsule ? null : noWayOut(facts().missing.slice(0, 1).map(inWords).join()))
  const lackAtStart = whyNoWayOut()
  if (lackAtStart !== null) log.warn({}, lackAtStart)
  const confinement = await confine({
    capsule: () => networks.capsule,
    switches: () => (facts().available ? dataplane : null),
    user,
  })
  const machineFolders = readdirSync(machinesFolder).map((id) => join(machinesFolder, id))
  await closeToOthers([
    ...['volumes', 'images', 'seeds', 'rescues'].map((name) => join(folder, name)),
    ...machineFolders,
  ])

  const found = await probe({ folder, shortFolder, programs: all, confinement, user, log })
  if ('missing' in found) {
    await networks.close(true)
    closeSync(held)
    return found
  }
  const { choice, version } = found
  const { machines, onEvent, holderOf, isAnyRunning, unconfined, withoutNetworks, emulated, close } =
    await openMachines({
      folder: await realpath(machinesFolder),
      shortFolder: `${shortFolder}/machines`,
      emulator: all.emulator,
      choice,
      confinement,
      log,
    })
  const worker = openImageWorker({ log, qemuImg: all.imageTool })
  // check this at startup, so that the log shows early on how untrusted image files are processed
  const workerProblem = await worker.problem()
  let isClosed = false
  const create = createBy(all.imageTool)
  const disks = openDisks({
    folder,
    create,
    worker,
    reserveBytes,
    snapshots: diskSnapshots({ worker, holderOf }),
    capture: diskCaptures({ worker, create, holderOf, reserveBytes }),
    async liveCopy(source, target, onProgress, signal) {
      const holder = holderOf(source)
      if (!holder) return false
      await copyThroughMachine({ ...holder, create, target, onProgress, signal })
      return true
    },
  })
  return {
    kind: 'qemu',
    host: hostFacts(version, choice.accelerator),
    settlesAtStart: true,
    dataplane,
    otherNodes: null,
    guestNetwork() {
      const { available } = facts()
      const whyNoNetworks = networks.capsule && !available ? `${whyUnavailable(facts())}. ${natInstead}` : null
      const apart = available ? whoIsApart(withoutNetworks()) : null
      const problems = [whyNoWayOut(), whyNoNetworks, apart, whoIsUnconfined(unconfined())].filter((it) => it !== null)
      return { problem: problems.length > 0 ? problems.join('. ') : null }
    },
    imageWorker: () => ({ problem: workerProblem }),
    acceleration: () => ({ problem: emulationProblem(emulated()) }),
    machines,
    disks,
    fileReaders: openReaders({ emulator: all.emulator, choice, confinement, create }),
    tierEncryption: folderEncryption(folder),
    onEvent,
    async close() {
      if (isClosed) return
      isClosed = true
      const isEmpty = !isAnyRunning()
      close()
      await networks.close(isEmpty)
      closeSync(held)
    },
  }
}

/** Machine processes recorded by a previous server process. */
const processesIn = (machinesFolder: string) =>
  readdirSync(machinesFolder).flatMap((id) => readRecord(join(machinesFolder, id))?.process ?? [])

const noWayOut = (reason: string) =>
  `Virtual machines have no network access: this host cannot isolate their network from its own addresses (${reason})`

/** Tells operators how machines access the network while the host has no networking. */
const natInstead = 'Until then virtual machines in the default network use their own NAT, others have no network access'

const whoIsUnconfined = (ids: string[]) =>
  ids.length === 0
    ? null
    : 'Virtual machines that an earlier version started can still reach the addresses of this host; stop and start ' +
      `them: ${named(ids)}`

const whoIsApart = (ids: string[]) =>
  ids.length === 0
    ? null
    : 'Virtual machines that started before this host had networks are not connected to them; stop and start ' +
      `them: ${named(ids)}`

const named = (ids: string[]) => `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
