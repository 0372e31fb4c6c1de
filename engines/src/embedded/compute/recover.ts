import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import type { Image } from '@mainstay/contract/compute/images'
import { instanceStatuses, instanceTaskStates } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Task } from '@mainstay/contract/core/tasks'
import { volumeInProgress, volumeStatuses } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import { giveUp } from './build-instance'
import { removeImageFiles } from './image-import'
import { asTheMachineIs, changeInstance, settle } from './instance-rows'
import { changeVolume, detached } from './volume-rows'

/** Above this many instances the world is a pretended one, whose machines do nothing while no server runs. */
const mostToSettle = 10_000

const interrupted = new Error('interrupted')
const interruptedText = 'This was interrupted when the server stopped'

/**
 * Puts right what an earlier server left. Rows that say that something is being done, and nobody does it: every
 * command writes its job with its row, so these come only from uploads and from failures nobody foresaw.
 */
export async function recover(engine: Engine): Promise<void> {
  const instances = await busyInstances(engine)
  const volumes = await busyVolumes(engine)
  const images = await busyImages(engine)
  // after the rows: a row whose task ends meanwhile is no longer busy when it is looked at again
  const worked = await subjectsOfTasks(engine)
  for (const row of instances) if (!worked.has(row.id)) await recoverInstance(engine, row)
  for (const row of volumes) {
    const serverId = row.attachments[0]?.server_id ?? ''
    if (!worked.has(row.id) && !worked.has(serverId)) await recoverVolume(engine, row)
  }
  for (const row of images) if (!worked.has(row.id)) await recoverImage(engine, row)
  await settleAll(engine)
}

const many = async <Row>(values: readonly string[], find: (value: string) => Promise<Row[]>): Promise<Row[]> => {
  const found: Row[] = []
  for (const value of values) found.push(...(await find(value)))
  return found
}

const busyInstances = ({ records }: Engine) =>
  records.transaction((tx) => many(instanceTaskStates, (state) => tx.find<Instance>('server', { task_state: state })))
const busyVolumes = ({ records }: Engine) => {
  const busy = volumeStatuses.filter((status) => volumeInProgress({ status }))
  return records.transaction((tx) => many(busy, (status) => tx.find<Volume>('volume', { status })))
}
const busyImages = ({ records }: Engine) => {
  const busy = ['queued', 'saving', 'uploading', 'creating', 'importing'].filter(imageInProgress)
  return records.transaction((tx) => many(busy, (status) => tx.find<Image>('image', { status })))
}

async function subjectsOfTasks({ records }: Engine): Promise<Set<string>> {
  const tasks = await records.transaction((tx) =>
    many(['starting', 'running', 'cancelling', 'paused'], (state) => tx.find<Task>('task', { state })),
  )
  return new Set(tasks.map(({ args }) => (args[0] as { id?: string } | undefined)?.id ?? ''))
}

/** Runs when the row is still as it was found. */
async function ifSame<Row extends Instance | Volume>(
  engine: Engine,
  kind: string,
  before: Row,
  work: (tx: RecordsTransaction, row: Row) => Promise<unknown>,
) {
  const stamp = (row: Row) => ('updated' in row ? row.updated : row.updated_at)
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Row>(kind, before.id)
    if (row && stamp(row) === stamp(before)) await work(tx, row)
  })
}

async function recoverInstance(engine: Engine, before: Instance): Promise<void> {
  engine.log.warn({ instance: before.id, task_state: before.task_state }, 'nobody works on a busy instance; its row is put right')
  if (before.status === 'BUILD') return giveUp(engine, before.id, interrupted)
  const state = await engine.hypervisor.machines.state(before.id)
  await ifSame(engine, 'server', before, (tx, row) => changeInstance(tx, row, asTheMachineIs(state)))
}

async function recoverVolume(engine: Engine, before: Volume): Promise<void> {
  engine.log.warn({ volume: before.id, status: before.status }, 'nobody works on a busy volume; its row is put right')
  if (before.status === 'creating') await engine.hypervisor.disks.remove(engine.files.volume(before.id))
  await ifSame(engine, 'volume', before, async (tx, row) => {
    if (row.status === 'creating' || row.status === 'deleting') {
      const status = row.status === 'creating' ? 'error' : 'error_deleting'
      return changeVolume(tx, row, { status, progress: null, fault: interruptedText })
    }
    const serverId = row.attachments[0]?.server_id
    const instance = serverId === undefined ? null : await tx.get<Instance>('server', serverId)
    const isAttached = instance?.volumes.some(({ id }) => id === row.id) ?? false
    return changeVolume(tx, row, isAttached ? { status: 'in-use' } : detached)
  })
}

async function recoverImage(engine: Engine, { id, status }: Image): Promise<void> {
  engine.log.warn({ image: id, status }, 'an image was not finished; it is removed')
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Image>('image', id)
    if (row?.status !== status) return
    await tx.remove('image', id)
    await tx.removePrivate('image', id)
  })
  await removeImageFiles(engine, id)
}

/** Rows of instances that nobody works on follow their machines: adopted ones, and those that ended meanwhile. */
async function settleAll(engine: Engine): Promise<void> {
  const total = await engine.records.transaction((tx) => tx.sum('server', null))
  if (total > mostToSettle) return
  const states = new Map((await engine.hypervisor.machines.known()).map(({ id, state }) => [id, state]))
  for (const status of instanceStatuses.filter((it) => ['ACTIVE', 'PAUSED', 'SUSPENDED', 'SHUTOFF'].includes(it))) {
    const rows = await engine.records.transaction((tx) => tx.find<Instance>('server', { status }, mostToSettle))
    for (const row of rows) {
      const state = states.get(row.id) ?? 'off'
      if (asTheMachineIs(state).status !== row.status) await settle(engine, row.id)
    }
  }
}
