import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { JobHandler } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import type { Engine } from '../../engine'
import { attachVolume, attachVolumeJob, detachVolume, detachVolumeJob } from './attach-volumes'
import { buildInstance } from './build'
import { createInstances } from './create'
import { deleteInstance, deleteJob } from './delete'
import type { InstanceMetrics } from './metrics'
import { removeMetadata, setMetadata } from './metadata'
import { changeInstance, lockFor } from './rows'
import { consoleLog, guestAnswers, openConsole } from './console'
import { liveResizeJob } from './live-resize'
import { allowance } from './resize-headroom'
import { choosePlacements } from '../placements/place-instance'
import { unsupportedCommands } from './unsupported'
import { powerCommands } from './power'
import { powerJobs } from './power-jobs'
import { rescueCommands, rescueJobs } from './rescue'
import { resizeInstance, resizeJob } from './resize'
import { shelvingCommands, shelvingJobs } from './shelving'

/** Returns all instance commands except `recycle`, which belongs to the recycle bin in the storage area. */
export const instanceCommands = (engine: Engine, metrics: InstanceMetrics): Omit<InstancesPort, 'recycle'> => ({
  ...powerCommands(engine),
  ...shelvingCommands(engine),
  ...rescueCommands(engine),
  ...unsupportedCommands(engine),
  create: (scope, draft, event) => createInstances(engine, scope, draft, event),
  update: (scope, id, change) =>
    engine.records.transaction(async (tx) => {
      const row = await lockFor(tx, scope, id, 'rename')
      const { allow_live_resize: allowed, ...rest } = change as Partial<Instance>
      const isNew = allowed !== undefined && allowed !== row.allow_live_resize
      const traits = change.traits && (await choosePlacements(tx, scope, row, change.traits))
      return changeInstance(tx, row, {
        ...rest,
        ...(isNew ? allowance(engine, row, allowed) : {}),
        ...(traits && { traits }),
      })
    }),
  delete: (scope, id, deleteVolumes) => deleteInstance(engine, scope, id, deleteVolumes),
  resize: (scope, id, flavorId, how) => resizeInstance(engine, scope, id, flavorId, how),
  attachVolume: (scope, id, volumeId, flag) => attachVolume(engine, scope, id, volumeId, flag),
  detachVolume: (scope, id, volumeId) => detachVolume(engine, scope, id, volumeId),
  setTag: (scope, id, tag) => changeTags(engine, scope, id, (tags) => [...tags.filter((it) => it !== tag), tag]),
  removeTag: (scope, id, tag) =>
    changeTags(engine, scope, id, (tags) => {
      if (!tags.includes(tag)) throw notFound()
      return tags.filter((it) => it !== tag)
    }),
  setMetadata: (scope, id, metadata) => setMetadata(engine, scope, id, metadata),
  removeMetadata: (scope, id, key) => removeMetadata(engine, scope, id, key),
  openConsole: (scope, id, protocol) => openConsole(engine, scope, id, protocol),
  consoleLog: (scope, id, tailBytes) => consoleLog(engine, scope, id, tailBytes),
  guestAnswers: (scope, id) => guestAnswers(engine, scope, id),
  stat: (scope, id) => metrics.stat(scope, id),
})

const changeTags = (engine: Engine, scope: Scope, id: string, change: (tags: string[]) => string[]) =>
  engine.records.transaction(async (tx) => {
    const row = await lockOwn<Instance>(tx, 'server', scope, id)
    const tags = change(row.tags)
    const isSame = tags.length === row.tags.length && row.tags.every((tag) => tags.includes(tag))
    return isSame ? row : changeInstance(tx, row, { tags })
  })

/** Returns the job handlers, keyed by job name. */
export const instanceJobs = (engine: Engine): Record<string, JobHandler> => ({
  ...powerJobs(engine),
  ...shelvingJobs(engine),
  ...rescueJobs(engine),
  'compute.server.create': buildInstance(engine),
  'compute.server.delete': deleteJob(engine),
  'compute.server.resize': resizeJob(engine),
  'compute.server.live_resize': liveResizeJob(engine),
  'compute.server.attach_volume': attachVolumeJob(engine),
  'compute.server.detach_volume': detachVolumeJob(engine),
})
