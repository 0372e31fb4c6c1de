import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceTaskState } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Task } from '@mainstay/contract/core/tasks'
import { volumeInProgress, volumeStatuses } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import type { MachineState } from '../../hypervisor'
import { failCreation } from './build'
import { removeImageFiles } from '../images/import'
import { getPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance, reconcile, statusOf } from './rows'
import { changeVolume, detached } from '../../rows/volumes'

const mostFound = 1000

const interrupted = new Error('interrupted')
const interruptedText = 'The task was interrupted when the server stopped'

/**
 * Repairs what an earlier server left behind: rows marked as busy that no task is working on. Each command writes its
 * row and its job in one transaction, so such rows come only from uploads and unexpected failures.
 */
export async function recover(engine: Engine): Promise<void> {
  const { settlesAtStart } = engine.hypervisor
  // volumes are read first: if a task creates or deletes one of them for an instance, that instance is still found
  // busy, unless the task has ended
  const { areas } = engine
  const volumes = settlesAtStart && areas.has('storage') ? await busyVolumes(engine) : []
  const instances = settlesAtStart && areas.has('compute') ? await busyInstances(engine) : []
  const images = areas.has('compute') ? await busyImages(engine) : []
  // tasks are read after the rows: if one ends in between, the later check finds that its row is no longer busy
  const worked = await subjectsOfTasks(engine)
  if (worked === null) {
    engine.log.warn({}, 'too many tasks to find interrupted work; the next start recovers it')
    return
  }
  for (const row of instances) if (!worked.has(row.id)) await recoverInstance(engine, row)
  // a volume of a new instance is created by the instance's task
  const makers = new Map(instances.flatMap((row) => row.volumes.map((volume) => [volume.id, row.id] as const)))
  for (const row of volumes) {
    const serverId = row.attachments[0]?.server_id ?? makers.get(row.id) ?? ''
    if (!worked.has(row.id) && !worked.has(serverId)) await recoverVolume(engine, row)
  }
  for (const row of images) if (!worked.has(row.id)) await recoverImage(engine, row)
  if (settlesAtStart && areas.has('compute')) await reconcileAll(engine)
}

const many = async <Row>(values: readonly string[], find: (value: string) => Promise<Row[]>): Promise<Row[]> => {
  const found: Row[] = []
  for (const value of values) found.push(...(await find(value)))
  return found
}

/** Task states set by this engine. */
const taskStates: readonly InstanceTaskState[] = [
  'scheduling',
  'block_device_mapping',
  'spawning',
  'powering-on',
  'powering-off',
  'rebooting',
  'rebooting_hard',
  'suspending',
  'resuming',
  'pausing',
  'unpausing',
  'shelving',
  'unshelving',
  'rescuing',
  'unrescuing',
  'resize_finish',
  'deleting',
  'restoring',
]
const busyInstances = ({ records }: Engine) =>
  records.transaction((tx) => many(taskStates, (state) => tx.find<Instance>('server', { task_state: state })))
const busyVolumes = ({ records }: Engine) => {
  const busy = volumeStatuses.filter((status) => volumeInProgress({ status }))
  return records.transaction((tx) => many(busy, (status) => tx.find<Volume>('volume', { status })))
}
const busyImages = ({ records }: Engine) => {
  const busy = ['queued', 'saving', 'uploading', 'creating', 'importing'].filter(imageInProgress)
  return records.transaction((tx) => many(busy, (status) => tx.find<Image>('image', { status })))
}

/** Returns the IDs of the subjects of all unfinished tasks, or null if there are too many to list. */
async function subjectsOfTasks({ records }: Engine): Promise<Set<string> | null> {
  const subjects = new Set<string>()
  for (const state of ['starting', 'running', 'cancelling', 'paused']) {
    const tasks = await records.transaction((tx) => tx.find<Task>('task', { state }, mostFound))
    if (tasks.length >= mostFound) return null
    for (const { args } of tasks) subjects.add((args[0] as { id?: string } | undefined)?.id ?? '')
  }
  return subjects
}

/** Runs `work` if the row has not changed since it was read. */
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
  engine.log.warn(
    { instance: before.id, task_state: before.task_state },
    'recovering a virtual machine whose task was interrupted',
  )
  if (before.status === 'BUILD') return failCreation(engine, before.id, interrupted)
  const state = await engine.hypervisor.machines.state(before.id)
  await ifSame(engine, 'server', before, async (tx, row) =>
    changeInstance(tx, row, fieldsFromMachine(row, await getPlan(tx, row.id), state)),
  )
}

async function recoverVolume(engine: Engine, before: Volume): Promise<void> {
  engine.log.warn({ volume: before.id, status: before.status }, 'recovering a volume whose task was interrupted')
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
  engine.log.warn({ image: id, status }, 'removing an unfinished image')
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Image>('image', id)
    if (row?.status !== status) return
    await tx.remove('image', id)
    await tx.removePrivate('image', id)
  })
  await removeImageFiles(engine, id)
}

/**
 * Updates the rows of idle instances to the states of their machines, which may have ended while no server was running.
 */
async function reconcileAll(engine: Engine): Promise<void> {
  const known = await engine.hypervisor.machines.known()
  const states = new Map(known.map(({ id, state }) => [id, state]))
  const ids = [...states.keys()]
  for (let at = 0; at < ids.length; at += 100) {
    const rows = await engine.records.transaction((tx) =>
      Promise.all(ids.slice(at, at + 100).map((id) => tx.get<Instance>('server', id))),
    )
    for (const row of rows) if (row) await reconcileIfDifferent(engine, row, states.get(row.id) ?? 'off')
  }
  // instances whose machine is unknown to the hypervisor
  for (const status of ['ACTIVE', 'RESCUE', 'PAUSED', 'SUSPENDED']) {
    const rows = await engine.records.transaction((tx) => tx.find<Instance>('server', { status }))
    for (const row of rows) if (!states.has(row.id)) await reconcileIfDifferent(engine, row, 'off')
  }
}

const reconcileIfDifferent = async (engine: Engine, row: Instance, state: MachineState): Promise<void> =>
  statusOf[state] === row.status ? undefined : reconcile(engine, row.id)
