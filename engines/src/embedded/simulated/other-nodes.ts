import { pause } from '../../host/processes'
import type { OtherNodes } from '../hypervisor'
import type { Delays, Faults } from './options'

/** Opens simulated nodes, which exist only as rows. Preparing a node takes a while, and fails on request. */
export function openOtherNodes({ node: delay }: Pick<Delays, 'node'>, { machines: faults }: Faults): OtherNodes {
  const prepare = async (host: string) => {
    await pause(delay)
    if (faults.has('fault-node') || host.includes('fault-node')) throw new Error(`${host} does not respond`)
  }
  return { join: prepare, release: prepare }
}
