import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { InstancesPort } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import { setBootable } from '../../storage/volumes/commands'
import { volumeReader } from '../../storage/volumes/shape'
import { act, allowed, orInvalidState, refreshed, sendAction, subjectOf } from './act'
import { usableImage } from '../images/usable-image'

type AsidePort = Pick<InstancesPort, 'shelve' | 'unshelve' | 'rescue' | 'unrescue'>

/** Commands to shelve and rescue instances. */
export const shelveAndRescueCommands = (engine: Engine): AsidePort => ({
  shelve: (scope, id) =>
    act(engine, scope, id, { action: 'shelve', body: { shelve: null }, task: 'compute.server.shelve' }),
  unshelve: (scope, id) =>
    act(engine, scope, id, { action: 'unshelve', body: { unshelve: null }, task: 'compute.server.unshelve' }),
  rescue: (scope, id, imageId) => rescue(engine, scope, id, imageId),
  unrescue: (scope, id) =>
    act(engine, scope, id, { action: 'unrescue', body: { unrescue: null }, task: 'compute.server.unrescue' }),
})

/**
 * Since 2.87, Nova can rescue volume-backed instances from images that specify the bus and device of the rescue disk.
 */
const rescueVersion = '2.87'

async function rescue(engine: Engine, scope: Scope, id: string, imageId: string | null): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'rescue')
  const chosen = imageId ?? row.image_id
  if (chosen === null) throw fieldProblem('image_id', 'compute.choose_rescue_image')
  const cloud = await engine.as(scope)
  const image = await usableImage(cloud, chosen, 'image_id')
  if (row.flavor.ram < image.min_ram) {
    throw fieldProblem('image_id', 'compute.image_needs_memory', { needed: image.min_ram, memory: row.flavor.ram })
  }
  await markBootable(engine, cloud, row)
  const body = { rescue: { rescue_image_ref: image.id } }
  const meant = { name: 'compute.server.rescue', subject: subjectOf(row), until: 'settled', scope } as const
  const send = () => orInvalidState(engine, id, sendAction(cloud, id, body, rescueVersion))
  await engine.command(meant, send).catch((error: unknown) => {
    const isOfImage = error instanceof Problem && error.code === 'validation'
    throw isOfImage ? withField(error, { field: 'image_id' }) : error
  })
  return refreshed(engine, id)
}

/**
 * Marks the boot disk of an instance as bootable, because Nova can rescue only instances with a bootable disk. A disk
 * onto which a system was installed from an ISO is not marked as bootable.
 */
async function markBootable(engine: Engine, cloud: ServiceClient, { volumes }: Instance): Promise<void> {
  const disk = volumes.find(({ boot_index }) => boot_index === 0)
  // refresh, because the index may not contain a new disk yet
  if (!disk || (await engine.refresh<Volume>(volumeReader, disk.id)).bootable) return
  await setBootable(cloud, disk.id, true)
  await engine.refresh(volumeReader, disk.id)
}

/**
 * Offloads a shelved instance immediately to free its resources (I2); otherwise, the cloud may keep it on its node for
 * a while.
 */
export const shelveSteps = (engine: Engine): TaskSteps => ({
  async onSettled({ subject: { id } }) {
    const { status } = await refreshed(engine, id)
    if (status !== 'SHELVED') return
    await sendAction(engine.reading.caller, id, { shelveOffload: null })
    await refreshed(engine, id)
  },
})
