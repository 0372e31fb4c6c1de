import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { JobHandler, JobRun, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { beginAction } from './begin-action'
import { checkSpace } from '../capacity'
import { writeSeed } from './cloud-seed'
import { usableImage } from '../images/rows'
import { noteIsoUse } from './disks'
import { getPlan, pluggedSpec, putPlan, type RescuePlan } from '../../rows/instance-plan'
import { changeBusy, isDone, machineJob, startMachine, switchOff, type Found } from './machine-jobs'
import { refuseUnbuilt } from './power'
import { freed, withRescue } from './rescue-disk'

/**
 * Returns the commands for rescue mode, which boots another system and attaches the instance's own disks after the
 * rescue disk.
 */
export const rescueCommands = (engine: Engine): Pick<InstancesPort, 'rescue' | 'unrescue'> => ({
  rescue: (scope, id, imageId) =>
    beginAction(engine, scope, id, {
      action: 'rescue',
      job: 'compute.server.rescue',
      busy: { task_state: 'rescuing' },
      async also(tx, row, plan) {
        await refuseUnbuilt(tx, row)
        const image = await imageFor(tx, scope, row, imageId)
        if (image.type !== 'iso') await checkSpace(engine, image.size ?? 0)
        const before = await freed(tx, id, plan)
        if (image.type === 'iso') await noteIsoUse(tx, image.id, id, true)
        await putPlan(tx, id, { ...before, rescue: rescuePlan(image) })
      },
    }),
  unrescue: (scope, id) =>
    beginAction(engine, scope, id, {
      action: 'unrescue',
      job: 'compute.server.unrescue',
      busy: { task_state: 'unrescuing' },
    }),
})

/** Returns the requested image, or the image that the instance was created from. */
async function imageFor(
  tx: RecordsTransaction,
  scope: Scope,
  { image_id, flavor }: Instance,
  imageId: string | null,
): Promise<Image> {
  const id = imageId ?? image_id
  if (id === null) throw fieldProblem('image_id', 'compute.choose_rescue_image')
  const image = await usableImage(tx, scope, id, 'image_id')
  if (flavor.ram < image.min_ram) {
    throw fieldProblem('image_id', 'compute.image_needs_memory', { needed: image.min_ram, memory: flavor.ram })
  }
  return image
}

const rescuePlan = (image: Image): RescuePlan => ({
  imageId: image.id,
  kind: image.type === 'iso' ? 'iso' : 'copy',
  isOn: false,
  // Windows does not include a virtio driver
  bus: image.type === 'iso' ? 'ide' : image.os_type === 'windows' ? 'sata' : 'virtio',
  sizeBytes: Math.max(image.virtual_size ?? 0, image.min_disk * GiB),
  firmware: image.hw_firmware_type,
  username: image.username,
})

export const rescueJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.rescue': machineJob(engine, async (run, found) => {
    const { rescue } = found.plan
    if (!rescue) return
    // the instance keeps running while the image is copied; a non-empty state means that the copy is complete
    if (rescue.kind === 'copy' && Object.keys(run.state).length === 0) await copyImage(engine, run, rescue)
    const wait = await switchOff(engine, run)
    if (wait) return wait
    await startRescue(engine, found, rescue)
    await isDone(engine, run.subject.id, 'running')
  }),
  'compute.server.unrescue': machineJob(engine, async (run, found) => {
    const wait = await switchOff(engine, run)
    if (wait) return wait
    await startMachine(engine, found)
    await isDone(engine, run.subject.id, 'running')
  }),
})

/** Copies the image, replacing a copy left by an earlier rescue. */
async function copyImage(engine: Engine, run: JobRun, { imageId, sizeBytes }: RescuePlan): Promise<void> {
  const { disks } = engine.hypervisor
  const path = engine.files.rescue(run.subject.id)
  await disks.remove(path)
  const report = (percent: number) => run.progress(percent * 0.8)
  const image = engine.files.image(imageId)
  await engine.withPermit(run.scope.project_id ?? '', () =>
    disks.createFrom(path, image, sizeBytes, report, run.signal),
  )
}

/** Starts the rescue without the instance's user data, which is intended for the instance's own operating system. */
async function startRescue(engine: Engine, { row, plan }: Found, rescue: RescuePlan): Promise<void> {
  const { id } = row
  await writeSeed(engine, { ...row, username: rescue.username }, { ...plan, userData: null })
  await engine.hypervisor.machines.start(withRescue(engine, await pluggedSpec(engine, row, plan), rescue))
  await changeBusy(engine, id, async (tx) => {
    const now = await getPlan(tx, id)
    if (now.rescue) await putPlan(tx, id, { ...now, rescue: { ...now.rescue, isOn: true } })
  })
}
