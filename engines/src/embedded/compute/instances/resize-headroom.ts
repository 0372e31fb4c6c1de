import type { Instance } from '@mainstay/contract/compute/instances'
import type { Engine } from '../../engine'
import { capacityOf } from '../capacity'
import { changeInstance } from './rows'

type Room = Pick<Instance, 'max_vcpu' | 'max_mem'>
type Asked = Pick<Instance, 'allow_live_resize' | 'flavor'>

/** Times its flavor that an instance may grow to while it runs; never more than one instance may have here. */
const times = 4

/** The room that an instance gets when it is started. */
export function roomAtStart(engine: Engine, { allow_live_resize, flavor }: Asked): Room {
  if (!allow_live_resize) return { max_vcpu: null, max_mem: null }
  const { vcpusOfOne, ramMiB } = capacityOf(engine)
  return {
    max_vcpu: Math.max(flavor.vcpus, Math.min(times * flavor.vcpus, vcpusOfOne)),
    max_mem: Math.max(flavor.ram, Math.min(times * flavor.ram, ramMiB)),
  }
}

const statusesOfOff: readonly Instance['status'][] = ['SHUTOFF', 'SHELVED', 'SHELVED_OFFLOADED']

/** What changes with the permission. One that runs, or will go on, has the room that it was started with. */
export const allowance = (engine: Engine, row: Instance, allow_live_resize: boolean): Partial<Instance> => ({
  allow_live_resize,
  ...(statusesOfOff.includes(row.status) ? roomAtStart(engine, { ...row, allow_live_resize }) : {}),
})

/** The row as its machine is about to start from nothing. One that goes on keeps its room. */
export async function withRoom(engine: Engine, row: Instance): Promise<Instance> {
  const state = await engine.hypervisor.machines.state(row.id)
  if (state !== 'off' && state !== 'crashed') return row
  const room = roomAtStart(engine, row)
  if (row.max_vcpu === room.max_vcpu && row.max_mem === room.max_mem) return row
  return engine.records.transaction(async (tx) => {
    const fresh = await tx.lock<Instance>('server', row.id)
    return fresh ? changeInstance(tx, fresh, room) : { ...row, ...room }
  })
}
