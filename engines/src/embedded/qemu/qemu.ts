import { closeSync, constants, mkdirSync, openSync, readdirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hypervisor, HypervisorMissing } from '../hypervisor'
import { diskReserveBytes } from '../limits'
import { serviceUser } from '../../host/service-users'
import { openCapsule } from '../dataplane/capsule/capsule'
import { openDataplane, type OpenDataplane } from '../dataplane/dataplane'
import { capsuleAdvice, inWords, whyUnavailable } from '../dataplane/probe'
import { servicesIn } from '../dataplane/services/daemons'
import { confine } from './confinement/confinement'
import { openDisks } from './disks/disks'
import { closeToOthers } from './confinement/grants'
import { hostFacts } from './host'
import { openImageWorker } from '../../image-files/image-worker'
import { createBy } from './disks/image-tool'
import { copyThroughMachine } from './disks/live-copy'
import type { Log } from './log'
import { whoIsEmulated } from './machines/acceleration'
import { openMachines } from './machines/machines'
import { probe, type Programs } from './probe'
import { readRecord } from './machines/record'

export interface QemuOptions {
  /** What the hypervisor keeps, in folders of its own; also where `disks.free()` looks. */
  folder: string
  log: Log
  /** Space that copies of disks leave free, bytes. */
  reserveBytes?: number
  /** Others than those on the path. */
  programs?: Partial<Programs>
}

/**
 * Real machines: each a QEMU process of its own, which goes on when this server ends and is adopted by the next one
 * that opens the folder. One server at a time.
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

  // The path of a unix socket has 107 bytes at most and that of a data folder does not: this is the same folder,
  // for every process of this user, for as long as it is held open here. (QEMU itself works in the folder.)
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const shortFolder = `/proc/${process.pid}/fd/${held}`

  const user = await serviceUser('vm').catch((error: Error) => error)
  if (user instanceof Error) {
    closeSync(held)
    return { missing: [], advice: user.message }
  }
  let dataplane: OpenDataplane | null = null
  const networksFolder = join(folder, 'networks')
  const insiders = () => [...processesIn(machinesFolder), ...(dataplane?.processes() ?? servicesIn(networksFolder))]
  const inside = await openCapsule({ folder: join(folder, 'network'), log, machines: insiders })
  const networks = (dataplane = await openDataplane({ folder: networksFolder, capsule: inside, user, log }))
  const facts = await networks.probe()
  const capsule = 'impossible' in inside ? null : inside
  const whyNoWayOut = 'impossible' in inside ? noWayOut(inWords(await capsuleAdvice(inside.impossible))) : null
  if (whyNoWayOut !== null) log.warn({}, whyNoWayOut)
  const confinement = await confine({ capsule, switches: facts.available ? networks : null, user })
  const machineFolders = readdirSync(machinesFolder).map((id) => join(machinesFolder, id))
  await closeToOthers([
    ...['volumes', 'images', 'seeds', 'rescues'].map((name) => join(folder, name)),
    ...machineFolders,
  ])

  async function endNetworks(isEmpty: boolean): Promise<void> {
    await networks.close()
    if (isEmpty) await networks.end()
    await capsule?.close(isEmpty)
  }

  const found = await probe({ folder, shortFolder, programs: all, confinement, user, log })
  if ('missing' in found) {
    await endNetworks(true)
    closeSync(held)
    return found
  }
  const { choice, version } = found
  const { machines, onEvent, holderOf, isAnyRunning, unconfined, emulated, close } = await openMachines({
    folder: await realpath(machinesFolder),
    shortFolder: `${shortFolder}/machines`,
    emulator: all.emulator,
    choice,
    confinement,
    log,
  })
  const worker = openImageWorker({ log, qemuImg: all.imageTool })
  // found out now, so that a start says how files of strangers are looked at
  const workerProblem = await worker.problem()
  let isClosed = false
  const create = createBy(all.imageTool)
  const disks = openDisks({
    folder,
    create,
    worker,
    reserveBytes,
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
    dataplane: networks,
    guestNetwork() {
      const whyNoNetworks = capsule && !facts.available ? `${whyUnavailable(facts)}. ${natInstead}` : null
      const problems = [whyNoWayOut, whyNoNetworks, whoIsUnconfined(unconfined())].filter((it) => it !== null)
      return { problem: problems.length > 0 ? problems.join('. ') : null }
    },
    imageWorker: () => ({ problem: workerProblem }),
    acceleration: () => ({ problem: whoIsEmulated(emulated()) }),
    machines,
    disks,
    onEvent,
    async close() {
      if (isClosed) return
      isClosed = true
      const isEmpty = !isAnyRunning()
      close()
      await endNetworks(isEmpty)
      closeSync(held)
    },
  }
}

/** What an earlier server left running, as far as it was written down. */
const processesIn = (machinesFolder: string) =>
  readdirSync(machinesFolder).flatMap((id) => readRecord(join(machinesFolder, id))?.process ?? [])

const noWayOut = (reason: string) =>
  'Virtual machines reach no network: this host cannot give them one from which its own addresses are not reached ' +
  `(${reason})`

/** What machines in the first network have where the host carries no networks. */
const natInstead = 'Until then virtual machines in the first network have a NAT of their own, and others reach nothing'

const whoIsUnconfined = (ids: string[]) =>
  ids.length === 0
    ? null
    : 'Virtual machines that an earlier version started still reach the addresses of this host; switch them off and ' +
      `on again: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
