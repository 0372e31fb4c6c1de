import type { RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import type { MachineDisk, MachineSpec } from '../../hypervisor'
import { noteIsoUse } from './disks'
import { getPlan, putPlan, type InstancePlan, type RescuePlan } from '../../rows/instance-plan'

/** What boots in a rescue. The copy is the instance's for that time; an ISO is read where it is. */
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

/** The machine with its rescue before its own disks, none of which is booted from. */
export function withRescue(engine: Engine, spec: MachineSpec, rescue: RescuePlan): MachineSpec {
  const disk = rescueDisk(engine, spec.id, rescue)
  const own = spec.disks.filter(({ id }) => id !== disk.id).map((it) => ({ ...it, bootIndex: null }))
  return { ...spec, firmware: rescue.firmware, disks: [disk, ...own] }
}

/** The instance is rescued no longer: its copy of the image is gone, an ISO is free again. Stands being done twice. */
export async function leaveRescue(engine: Engine, id: string): Promise<void> {
  await engine.hypervisor.disks.remove(engine.files.rescue(id))
  await engine.records.transaction(async (tx) => {
    await tx.lock('server', id)
    const plan = await getPlan(tx, id)
    if (plan.rescue) await putPlan(tx, id, await freed(tx, id, plan))
  })
}

/** The plan without its rescue. An ISO that is also in the instance's own drive stays in use. */
export async function freed(tx: RecordsTransaction, id: string, plan: InstancePlan): Promise<InstancePlan> {
  const { rescue, disks } = plan
  if (rescue?.kind === 'iso' && !disks.some((disk) => disk.id === rescue.imageId))
    await noteIsoUse(tx, rescue.imageId, id, false)
  return { ...plan, rescue: null }
}
