import { setTimeout as pause } from 'node:timers/promises'

/*
 * Captures the content of disks through a QEMU process that has them open: a virtual machine or the storage daemon. Both
 * speak QMP. Each disk keeps a bitmap of the blocks that were written since its last capture, so that the next one copies
 * only those (https://www.qemu.org/docs/master/interop/bitmaps.html).
 */

/** The part of a QMP client that is needed here. */
export interface QmpCommands {
  execute<Reply = unknown>(command: string, args?: object, timeoutMs?: number): Promise<Reply>
}

/** A disk to capture. */
export interface DiskToCapture {
  /** Node name of the disk. */
  node: string
  /** Path of an empty qcow2 file of the same size, as seen by the process. */
  target: string
  /** Name of the new bitmap, which collects the changes from now on. */
  mark: string
  /** Name of the bitmap with the changes to copy; null to copy everything. */
  since: string | null
}

export interface CapturedDisk {
  /** False if everything was copied, because the bitmap `since` does not exist or is incomplete. */
  isIncremental: boolean
}

export interface Captured {
  /** Time at which the content was captured. */
  takenAt: Date
  /** Result of `whileFrozen`. */
  isFrozen: boolean
  disks: CapturedDisk[]
}

interface Bitmap {
  name: string
  inconsistent?: boolean
  recording: boolean
}
export interface BlockNode {
  'node-name': string
  image: { 'virtual-size': number }
  'dirty-bitmaps'?: Bitmap[]
}
interface Job {
  id: string
  status: string
  'current-progress': number
  'total-progress': number
  error?: string
}

/** Prefix of the names of jobs and target nodes, which identifies the remains of an interrupted capture. */
const PREFIX = 'capture-'
const lookEveryMs = 50

export const blockNodes = (qmp: QmpCommands): Promise<BlockNode[]> =>
  qmp.execute<BlockNode[]>('query-named-block-nodes', { flat: true })

/**
 * Captures disks at the same moment. The process can continue writing to them. Throws an error of `qmp`, or the reason
 * of `signal`; the previous bitmaps are then kept.
 */
export async function captureDisks(
  qmp: QmpCommands,
  disks: readonly DiskToCapture[],
  {
    onProgress = () => undefined,
    signal,
    whileFrozen = async (work) => work().then(() => false),
  }: {
    onProgress?: (percent: number) => void
    signal?: AbortSignal | undefined
    /** Runs the moment of the capture while nothing writes to the disks, if possible. Returns whether it was. */
    whileFrozen?: (work: () => Promise<void>) => Promise<boolean>
  },
): Promise<Captured> {
  signal?.throwIfAborted()
  await removeInterrupted(qmp)
  const nodes = await blockNodes(qmp)
  const orders = disks.map((disk, index) => {
    const bitmaps = nodes.find((node) => node['node-name'] === disk.node)?.['dirty-bitmaps'] ?? []
    const isUsable = bitmaps.some(
      ({ name, inconsistent, recording }) => name === disk.since && !inconsistent && recording,
    )
    return { ...disk, bitmaps, name: `${PREFIX}${index}`, since: isUsable ? disk.since : null }
  })
  for (const { node, bitmaps, since } of orders)
    for (const { name } of bitmaps) if (name !== since) await qmp.execute('block-dirty-bitmap-remove', { node, name })
  const added: string[] = []
  let isDone = false
  try {
    for (const { name, target } of orders) {
      await qmp.execute('blockdev-add', {
        ...{ driver: 'qcow2', 'node-name': name, backing: null, discard: 'unmap' },
        file: { driver: 'file', filename: target },
      })
      added.push(name)
    }
    let takenAt = new Date()
    const isFrozen = await whileFrozen(async () => {
      signal?.throwIfAborted()
      await qmp.execute('transaction', { actions: orders.flatMap(actionsOf) })
      takenAt = new Date()
    })
    await untilDone(qmp, added, onProgress, signal)
    isDone = true
    return { takenAt, isFrozen, disks: orders.map(({ since }) => ({ isIncremental: since !== null })) }
  } finally {
    for (const name of added) await qmp.execute('blockdev-del', { 'node-name': name }).catch(() => undefined)
    // if the capture failed, the changes are still in the previous bitmap
    if (!isDone)
      for (const { node, mark: name } of orders)
        await qmp.execute('block-dirty-bitmap-remove', { node, name }).catch(() => undefined)
  }
}

const actionsOf = ({ node, name, mark, since }: DiskToCapture & { name: string }) => [
  { type: 'block-dirty-bitmap-add', data: { node, name: mark, persistent: true } },
  {
    type: 'blockdev-backup',
    data: {
      ...{ 'job-id': name, device: node, target: name },
      // the bitmap is not cleared, so that it can be used again if the capture fails
      ...(since === null ? { sync: 'full' } : { sync: 'bitmap', bitmap: since, 'bitmap-mode': 'never' }),
      // if there is no space, the capture must fail and the guest must not be paused
      ...{ 'on-target-error': 'report', 'auto-dismiss': false },
      // the kernel copies the blocks, which takes a fifth of the time; where it cannot, QEMU reads and writes them
      'x-perf': { 'use-copy-range': true },
    },
  },
]

/** Cleans up after a capture whose server was killed. */
async function removeInterrupted(qmp: QmpCommands): Promise<void> {
  const jobs = (await qmp.execute<Job[]>('query-jobs')).filter(({ id }) => id.startsWith(PREFIX))
  for (const { id, status } of jobs)
    if (status !== 'concluded') await qmp.execute('job-cancel', { id }).catch(() => undefined)
  await untilConcluded(
    qmp,
    jobs.map(({ id }) => id),
  )
  for (const { id } of jobs) await qmp.execute('job-dismiss', { id })
  for (const { 'node-name': name } of await blockNodes(qmp))
    if (name.startsWith(PREFIX)) await qmp.execute('blockdev-del', { 'node-name': name })
}

async function untilConcluded(qmp: QmpCommands, ids: readonly string[], look?: (jobs: Job[]) => Promise<void>) {
  for (;;) {
    const jobs = (await qmp.execute<Job[]>('query-jobs')).filter(({ id }) => ids.includes(id))
    if (jobs.every(({ status }) => status === 'concluded')) return jobs
    await look?.(jobs)
    await pause(lookEveryMs)
  }
}

async function untilDone(
  qmp: QmpCommands,
  ids: readonly string[],
  onProgress: (percent: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isCancelled = false
  const jobs = await untilConcluded(qmp, ids, async (running) => {
    const total = running.reduce((sum, job) => sum + job['total-progress'], 0)
    const current = running.reduce((sum, job) => sum + job['current-progress'], 0)
    onProgress(Math.floor((100 * current) / Math.max(1, total)))
    const hasFailed = running.some(({ status, error }) => status === 'concluded' && error)
    if (isCancelled || !(signal?.aborted || hasFailed)) return
    isCancelled = true
    for (const { id, status } of running)
      if (status !== 'concluded') await qmp.execute('job-cancel', { id }).catch(() => undefined)
  })
  for (const { id } of jobs) await qmp.execute('job-dismiss', { id })
  if (signal?.aborted) throw signal.reason
  const failed = jobs.find(({ error }) => error)
  if (failed) throw new Error(failed.error)
  if (jobs.length < ids.length) throw new Error('a copy job has disappeared')
}
