import type { Instance } from '@mainstay/contract/compute/instances'
import type { Engine } from '../../engine'
import { capacityOf } from '../capacity'
import { changeInstance } from './rows'

type Headroom = Pick<Instance, 'max_vcpu' | 'max_mem'>
type Asked = Pick<Instance, 'allow_live_resize' | 'flavor'>

/** A running instance can grow to this multiple of its flavor, up to the limit for a single instance on this host. */
const times = 4

/** Returns the headroom that an instance gets when it starts. */
export function headroomAtStart(engine: Engine, { allow_live_resize, flavor }: Asked): Headroom {
  if (!allow_live_resize) return { max_vcpu: null, max_mem: null }
  const { vcpusOfOne, ramMiB } = capacityOf(engine)
  return {
    max_vcpu: Math.max(flavor.vcpus, Math.min(times * flavor.vcpus, vcpusOfOne)),
    max_mem: Math.max(flavor.ram, Math.min(times * flavor.ram, ramMiB)),
  }
}

const statusesOfOff: readonly Instance['status'][] = ['SHUTOFF', 'SHELVED', 'SHELVED_OFFLOADED']

/**
 * Returns the fields to change when live resize is allowed or disallowed. Running and suspended instances keep the
 * headroom that they started with.
 */
export const allowance = (engine: Engine, row: Instance, allow_live_resize: boolean): Partial<Instance> => ({
  allow_live_resize,
  ...(statusesOfOff.includes(row.status) ? headroomAtStart(engine, { ...row, allow_live_resize }) : {}),
})

/** Updates the headroom of an instance that is about to start. A resumed machine keeps its headroom. */
export async function withHeadroom(engine: Engine, row: Instance): Promise<Instance> {
  const state = await engine.hypervisor.machines.state(row.id)
  if (state !== 'off' && state !== 'crashed') return row
  const headroom = headroomAtStart(engine, row)
  if (row.max_vcpu === headroom.max_vcpu && row.max_mem === headroom.max_mem) return row
  return engine.records.transaction(async (tx) => {
    const fresh = await tx.lock<Instance>('server', row.id)
    return fresh ? changeInstance(tx, fresh, headroom) : { ...row, ...headroom }
  })
}
