import { blockNodes } from '../../../image-files/capture-disks'
import { fileSeenFrom } from '../devices/arguments'
import { grantNew } from '../confinement/grants'
import { blockNodeName } from '../devices/ids'
import type { CreateDisk } from './image-tool'
import type { Machine } from '../machines/machine'
import { pause } from '../../../host/processes'
import { QmpError, type Qmp } from '../qmp'
import { asFault } from '../reasons'

interface Job {
  id: string
  status: string
  'current-progress': number
  'total-progress': number
  error?: string
}

const lookEveryMs = 100

/**
 * Makes a point-in-time copy of a running machine's disk. It uses the machine's QEMU process, because only this process
 * knows the current content. The copy is crash-consistent: file systems look as they would after a power failure.
 */
export async function copyThroughMachine({
  create,
  machine,
  diskId,
  target,
  onProgress,
  signal,
}: {
  create: CreateDisk
  machine: Machine
  diskId: string
  target: string
  onProgress: (percent: number) => void
  signal: AbortSignal | undefined
}): Promise<void> {
  const qmp = machine.qmp()
  const device = blockNodeName(diskId)
  const size = (await blockNodes(qmp)).find((node) => node['node-name'] === device)?.image['virtual-size'] ?? 0
  await create(target, size)
  // Unique per copy, and short enough for a name in QEMU.
  const copy = `copy-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  await grantNew(machine.confinement, target)
  const file = { driver: 'file', filename: fileSeenFrom(machine.folder, target) }
  await qmp.execute('blockdev-add', {
    driver: 'qcow2',
    'node-name': copy,
    file,
    discard: 'unmap',
    'detect-zeroes': 'unmap',
  })
  try {
    await qmp.execute('blockdev-backup', {
      ...{ 'job-id': copy, device, target: copy, sync: 'full' },
      // If the host's storage is full, the copy must fail and the guest must not be paused.
      ...{ 'on-target-error': 'report', 'auto-dismiss': false },
    })
    await untilDone(qmp, copy, onProgress, signal)
  } catch (error) {
    throw signal?.aborted ? signal.reason : asFault(error)
  } finally {
    await qmp.execute('blockdev-del', { 'node-name': copy }).catch(() => undefined)
  }
}

async function untilDone(
  qmp: Qmp,
  id: string,
  onProgress: (percent: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isCancelled = false
  for (;;) {
    const job = (await qmp.execute<Job[]>('query-jobs')).find((one) => one.id === id)
    if (!job) throw new QmpError('refused', 'The copy process ended')
    if (job.status === 'concluded') {
      await qmp.execute('job-dismiss', { id })
      if (job.error || isCancelled) throw new QmpError('refused', job.error ?? 'The copy was cancelled')
      return
    }
    if (signal?.aborted && !isCancelled) {
      isCancelled = true
      await qmp.execute('job-cancel', { id })
    }
    onProgress(Math.floor((100 * job['current-progress']) / Math.max(1, job['total-progress'])))
    await pause(lookEveryMs)
  }
}
