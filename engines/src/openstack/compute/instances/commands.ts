import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InstancesPort } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { volumeReader } from '../../storage/volumes/shape'
import { noRecycling } from '../../storage/recycle-bin'
import { allowed, known, orInvalidState, refreshed } from './act'
import { consoleLog, openConsole } from './consoles'
import { placementChosen } from './check-draft'
import { createInstances, createSteps } from './create'
import { deleteInstance, deleteSteps } from './delete'
import { powerCommands, stopSteps } from './power'
import { shelveAndRescueCommands, shelveSteps } from './shelve-and-rescue'
import { noLiveResize, resizeInstance, resizeSteps } from './resize'
import { migrateSteps, moveCommands } from './migrate'
import { openMetrics } from './stat'
import { tagCommands } from './tags'
import { attachVolume, attachVolumeSteps, detachVolume, detachVolumeSteps } from './volumes'

/** Instance commands. Also registers the steps of their tasks. */
export function instanceCommands(engine: Engine): InstancesPort {
  engine.registerTaskSteps('compute.server.create', createSteps(engine))
  engine.registerTaskSteps('compute.server.delete', deleteSteps(engine))
  engine.registerTaskSteps('compute.server.stop', stopSteps(engine))
  engine.registerTaskSteps('compute.server.shelve', shelveSteps(engine))
  engine.registerTaskSteps('compute.server.migrate', migrateSteps(engine))
  engine.registerTaskSteps('compute.server.resize', resizeSteps(engine))
  engine.registerTaskSteps('compute.server.attach_volume', attachVolumeSteps(engine))
  engine.registerTaskSteps('compute.server.detach_volume', detachVolumeSteps(engine))
  return {
    ...powerCommands(engine),
    ...moveCommands(engine),
    ...shelveAndRescueCommands(engine),
    ...tagCommands(engine),
    create: (scope, draft) => createInstances(engine, scope, draft),
    update: (scope, id, change) => updateInstance(engine, scope, id, change),
    delete: (scope, id, deleteVolumes) => deleteInstance(engine, scope, id, deleteVolumes),
    recycle: noRecycling,
    cancelStop: (scope, id) => cancelStop(engine, scope, id),
    resize: (scope, id, flavorId, how) => resizeInstance(engine, scope, id, flavorId, how),
    attachVolume: (scope, id, volumeId, flag) => attachVolume(engine, scope, id, volumeId, flag),
    detachVolume: (scope, id, volumeId) => detachVolume(engine, scope, id, volumeId),
    openConsole: (scope, id, protocol) => openConsole(engine, scope, id, protocol),
    consoleLog: (scope, id, tailBytes) => consoleLog(engine, scope, id, tailBytes),
    guestAnswers: async (scope, id) => known(engine, scope, id).then(() => false),
    stat: openMetrics(engine),
  }
}

const isSame = (ids: string[], others: string[]): boolean =>
  ids.length === others.length && ids.every((id) => others.includes(id))

async function updateInstance(
  engine: Engine,
  ...[scope, id, { ha_enabled, allow_live_resize, traits, ...server }]: Parameters<InstancesPort['update']>
): ReturnType<InstancesPort['update']> {
  const before = await allowed(engine, scope, id, 'rename')
  if (ha_enabled) {
    throw fieldProblem('ha_enabled', 'compute.no_ha_in_cloud')
  }
  if (allow_live_resize) throw noLiveResize()
  if (traits && !isSame(traits, before.traits)) throw placementChosen()
  if (Object.keys(server).length > 0) {
    const cloud = await engine.as(scope)
    const options = { version: '2.19', body: { server } }
    await orInvalidState(engine, id, cloud.send('PUT', 'compute', `/servers/${id}`, z.void(), options))
  }
  const row = await refreshed(engine, id)
  // volume rows include the names of their instances
  if (row.name !== before.name)
    for (const volume of row.volumes) await unlessGone(engine.refresh(volumeReader, volume.id))
  return row
}

async function cancelStop(engine: Engine, scope: Scope, id: string): Promise<never> {
  await known(engine, scope, id)
  throw problem('compute.cloud_waits_for_shutdown')
}
