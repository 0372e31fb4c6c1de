import { volumesToDelete } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { isRunAgain } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import { allowed, orInvalidState, refreshed, subjectOf } from './act'
import { deletePort, deleteUnused, portsMadeFor } from '../../networking/cards/ports'
import { settledVolume } from './volumes'
import { refreshGroupsOf } from '../server-groups/commands'

/** First microversion that can change `delete_on_termination` of an attached volume. */
const version = '2.85'

type AttachedVolume = Instance['volumes'][number]

/**
 * Deletes an instance together with the given volumes, or, if null, with those flagged `delete_on_termination`. The
 * cloud deletes the volumes after the instance.
 */
export async function deleteInstance(
  engine: Engine,
  scope: Scope,
  id: string,
  deleteVolumes: string[] | null,
): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'delete')
  const own = new Set(row.volumes.map((volume) => volume.id))
  if (deleteVolumes?.some((volumeId) => !own.has(volumeId))) {
    throw fieldProblem('delete_volumes', 'compute.volume_not_attached')
  }
  const doomed = volumesToDelete(row, deleteVolumes)
  const isDoomed = (volume: AttachedVolume) => doomed.includes(volume)
  const otherwise = row.volumes.filter((volume) => isDoomed(volume) !== volume.delete_on_termination)
  const cloud = await engine.as(scope)
  const fates: Fates = Object.fromEntries(otherwise.map((volume) => [volume.id, volume.delete_on_termination]))
  const args = {
    ...{ volumes: row.volumes.map((volume) => volume.id), project: row.project_id },
    ...{ ports: await portsMadeFor(cloud, id), fates },
  }
  await engine.command(
    { name: 'compute.server.delete', subject: subjectOf(row), until: 'gone', scope, args },
    async () => {
      try {
        for (const volume of otherwise) await setFate(cloud, id, volume.id, isDoomed(volume))
        await orInvalidState(engine, id, cloud.send('DELETE', 'compute', `/servers/${id}`, z.void()))
      } catch (error) {
        await restoreFates(engine, cloud, id, fates)
        throw error
      }
    },
  )
  return deleting(engine, row)
}

/** Previous `delete_on_termination` by volume ID, for the volumes where the deletion changed it. */
type Fates = Record<string, boolean>

/** Restores `delete_on_termination` for the volumes of an instance that was not deleted. */
async function restoreFates(engine: Engine, cloud: ServiceClient, id: string, fates: Fates): Promise<void> {
  for (const [volumeId, fate] of Object.entries(fates)) {
    await setFate(cloud, id, volumeId, fate).catch((cause: unknown) =>
      engine.log.warn(
        { err: cause, server: id, volume: volumeId },
        'failed to restore a setting; the volume may be deleted with its virtual machine',
      ),
    )
  }
}

const setFate = (cloud: ServiceClient, id: string, volumeId: string, delete_on_termination: boolean): Promise<void> =>
  cloud.send('PUT', 'compute', `/servers/${id}/os-volume_attachments/${volumeId}`, z.void(), {
    version,
    body: { volumeAttachment: { volumeId, delete_on_termination } },
  })

/** Returns the refreshed row, or the last known one if the instance is already gone. */
async function deleting(engine: Engine, row: Instance): Promise<Instance> {
  try {
    return await refreshed(engine, row.id)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    return { ...row, task_state: 'deleting' }
  }
}

export const deleteSteps = (engine: Engine): TaskSteps => {
  const { caller } = engine.reading
  return {
    undo: ({ subject, args }) => restoreFates(engine, caller, subject.id, args['fates'] as Fates),

    /** Deletes the ports created for the instance as soon as they are detached, to free their addresses. */
    async whilePending({ args }) {
      for (const portId of args['ports'] as string[]) await deleteUnused(caller, portId)
    },

    /** Waits for the volumes, which take longer to settle, whether they are deleted or kept. */
    async onSettled(job) {
      const { args, subject } = job
      await refreshGroupsOf(engine, args['project'] as string, subject.id)
      for (const portId of args['ports'] as string[]) await deletePort(caller, portId)
      for (const volumeId of args['volumes'] as string[]) {
        const volume = await settledVolume(engine, volumeId, job)
        if (isRunAgain(volume)) return volume
      }
      return null
    },
  }
}
