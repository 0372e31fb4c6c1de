import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { blockNodes, captureDisks } from '../../../image-files/capture-disks'
import type { ImageWorker } from '../../../image-files/image-worker'
import { watchSpace } from '../../../image-files/watch-space'
import { CaptureInterrupted, type CapturedDisks, type CaptureOrder, type Disks } from '../../hypervisor'
import { grantNew } from '../confinement/grants'
import { fileSeenFrom } from '../devices/arguments'
import { blockNodeName } from '../devices/ids'
import type { Machine } from '../machines/machine'
import { QmpError } from '../qmp'
import { asFault } from '../reasons'
import { flush } from './flush'
import type { CreateDisk } from './image-tool'

interface Given {
  worker: ImageWorker
  create: CreateDisk
  /** Returns the machine that has a disk open, or null if none has. */
  holderOf: (path: string) => { machine: Machine; diskId: string } | null
  /** Space to leave free while capturing, in bytes. */
  reserveBytes: number
}

/**
 * Captures disks for recovery points: through the machine that has them open, otherwise through the confined worker.
 */
export function diskCaptures({ worker, create, holderOf, reserveBytes }: Given): Disks['capture'] {
  async function captureStored(
    orders: readonly CaptureOrder[],
    onProgress: (percent: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<CapturedDisks> {
    const takenAt = new Date()
    const isIncremental: boolean[] = []
    for (const [index, { path: disk, target, mark, since }] of orders.entries()) {
      const run = { signal, onProgress: (percent: number) => onProgress((100 * index + percent) / orders.length) }
      isIncremental.push(await worker.capture({ disk, target, mark, since, reserveBytes }, run))
    }
    return { takenAt, isIncremental, isFrozen: false }
  }

  async function captureLive(
    machine: Machine,
    orders: readonly (CaptureOrder & { diskId: string })[],
    onProgress: (percent: number) => void,
    callersSignal: AbortSignal | undefined,
  ): Promise<CapturedDisks> {
    const qmp = machine.qmp()
    const nodes = await blockNodes(qmp)
    for (const { target, diskId } of orders) {
      const size = nodes.find((node) => node['node-name'] === blockNodeName(diskId))?.image['virtual-size']
      if (size === undefined) throw new CaptureInterrupted()
      await create(target, size)
      await grantNew(machine.confinement, target)
    }
    const space = watchSpace(path.dirname(orders[0]!.target), reserveBytes)
    const signal = callersSignal ? AbortSignal.any([callersSignal, space.signal]) : space.signal
    try {
      const disks = orders.map(({ diskId, target, mark, since }) => ({
        ...{ node: blockNodeName(diskId), target: fileSeenFrom(machine.folder, target), mark, since },
      }))
      const whileFrozen = (work: () => Promise<void>) => machine.guest.whileFrozen(work)
      const captured = await captureDisks(qmp, disks, { onProgress, signal, whileFrozen })
      const { takenAt, isFrozen } = captured
      return { takenAt, isFrozen, isIncremental: captured.disks.map((disk) => disk.isIncremental) }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof QmpError && error.code === 'closed') throw new CaptureInterrupted()
      // the error of a failed job is also a message from QEMU
      throw asFault(error instanceof QmpError ? error : new QmpError('refused', (error as Error).message))
    } finally {
      space.stop()
    }
  }

  return async (orders, onProgress = () => undefined, signal) => {
    for (const { target, mark, since } of orders) {
      for (const name of [mark, since]) if (name !== null) checkMark(name)
      if (existsSync(target)) await rm(target)
    }
    const held = orders.map((order) => ({ ...order, holder: holderOf(order.path) }))
    const machine = held[0]?.holder?.machine
    if (held.some(({ holder }) => holder?.machine !== machine)) throw new CaptureInterrupted()
    try {
      const live = held.map(({ holder, ...order }) => ({ ...order, diskId: holder?.diskId ?? '' }))
      const captured = machine
        ? await captureLive(machine, live, onProgress, signal)
        : await captureStored(orders, onProgress, signal)
      for (const { target } of orders) await flush(target)
      return captured
    } catch (error) {
      for (const { target } of orders) await rm(target, { force: true })
      throw error
    }
  }
}

/** Checks that a mark can be used as the name of a bitmap. */
function checkMark(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(name)) throw new Error(`not a name for a capture: ${name}`)
}
