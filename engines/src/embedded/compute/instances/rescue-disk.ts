import type { RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import type { MachineDisk, MachineSpec } from '../../hypervisor'
import { noteIsoUse } from './disks'
import { getPlan, putPlan, type InstancePlan, type RescuePlan } from '../../rows/instance-plan'

/** Returns the disk that a rescue boots from: a copy that belongs to the instance, or the ISO image itself. */
function rescueDisk({ files }: Engine, id: string, { imageId, kind, bus }: RescuePlan): MachineDisk {
  const isIso = kind === 'iso'
  return {
    id: isIso ? imageId : `rescue-${id}`,
    path: isIso ? files.image(imageId) : files.rescue(id),
    format: isIso ? 'raw' : 'qcow2',
    bus,
    cdrom: isIso,
    bootIndex: 0,
  }
}

/** Returns the machine with the rescue disk ahead of its own disks, which are no longer boot devices. */
export function withRescue(engine: Engine, spec: MachineSpec, rescue: RescuePlan): MachineSpec {
  const disk = rescueDisk(engine, spec.id, rescue)
  const own = spec.disks.filter(({ id }) => id !== disk.id).map((it) => ({ ...it, bootIndex: null }))
  return { ...spec, firmware: rescue.firmware, disks: [disk, ...own] }
}

/** Ends a rescue: deletes the instance's copy of the image, or releases the ISO. Idempotent. */
export async function leaveRescue(engine: Engine, id: string): Promise<void> {
  await engine.hypervisor.disks.remove(engine.files.rescue(id))
  await engine.records.transaction(async (tx) => {
    await tx.lock('server', id)
    const plan = await getPlan(tx, id)
    if (plan.rescue) await putPlan(tx, id, await freed(tx, id, plan))
  })
}

/** Returns the plan without its rescue. The ISO stays in use if it is also in one of the instance's drives. */
export async function freed(tx: RecordsTransaction, id: string, plan: InstancePlan): Promise<InstancePlan> {
  const { rescue, disks } = plan
  if (rescue?.kind === 'iso' && !disks.some((disk) => disk.id === rescue.imageId))
    await noteIsoUse(tx, rescue.imageId, id, false)
  return { ...plan, rescue: null }
}
