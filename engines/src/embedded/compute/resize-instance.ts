import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Instance } from '@mainstay/contract/compute/instances'
import { badField } from '@mainstay/contract/core/problems'
import type { JobHandler } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import { checkCapacity } from './capacity'
import { getPlan } from './instance-plan'
import { asTheMachineIs, changeInstance, lockFor, subjectOf } from './instance-rows'
import { checkQuotas } from './quotas'

/** The new flavor is the row's at once, so that what it takes is counted; the machine gets it when it starts next. */
export const resizeInstance = (engine: Engine, scope: Scope, id: string, flavorId: string) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'resize')
    const flavor = await tx.get<Flavor>('flavor', flavorId)
    if (!flavor) throw badField('flavor', 'This flavor does not exist')
    if (flavor.id === row.flavor.id) throw badField('flavor', 'The virtual machine has this flavor already')
    await checkQuotas(engine, tx, row.project_id, {
      vcpus: { amount: flavor.vcpus - row.flavor.vcpus, field: 'flavor' },
      ram: { amount: flavor.ram - row.flavor.ram, field: 'flavor' },
    })
    await checkCapacity(engine, tx, flavor, 1, row.flavor)
    const changed = await changeInstance(tx, row, {
      status: 'RESIZE',
      task_state: 'resize_finish',
      flavor: {
        id: flavor.id,
        original_name: flavor.name,
        vcpus: flavor.vcpus,
        ram: flavor.ram,
        extra_specs: flavor.extra_specs,
      },
    })
    await tx.startJob({ name: 'compute.server.resize', subject: subjectOf(row), args: { flavor: flavor.name }, scope })
    return changed
  })

export const resizeJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    const state = await engine.hypervisor.machines.state(id)
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Instance>('server', id)
      if (row?.status !== 'RESIZE') return
      const plan = await getPlan(tx, id)
      await changeInstance(tx, row, asTheMachineIs(row, plan, state === 'crashed' ? 'off' : state))
    })
    return { id }
  },
})
