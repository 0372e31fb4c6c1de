import { Readable } from 'node:stream'
import { afterAll, describe } from 'vitest'
import type { StartCloud } from '../../conformance/cloud'
import { describeEngine, networkSuites } from '../../conformance/engine'
import { rawDisk } from '../../conformance/images'
import { thisNodeId } from '../compute/this-node'
import { openBed } from '../dataplane/testing/bed'
import { modes } from '../dataplane/testing/driver-process'
import type { Applied, Dataplane } from '../dataplane/wanted'
import { memberOf, openSimulatedCloud, operator } from '../testing/embedded-cloud'
import { defaultNetworkId } from './default-network'

/*
 * What every engine must do of networks, on real switches, rules and routers. Nothing that the records let through may be
 * refused by the kernel.
 */

const beds = await Promise.all(
  modes.map(async ({ rootless }) => {
    const bed = await openBed({ rootless })
    return { rootless, bed, isAvailable: (await bed.calls.probe()).available }
  }),
)
afterAll(() => Promise.all(beds.map(({ bed }) => bed.end())))

/** What could not be carried out, in words. */
const faultsOf = ({ unchanged: _, ...kinds }: Applied): string[] =>
  Object.values(kinds).flatMap((faults) => [...faults].map(([id, why]) => `${id}: ${why}`))

const possible = beds.filter(({ isAvailable }) => isAvailable)
describe.each(possible)('networks of this host (rootless: $rootless)', ({ bed }) => {
  const start: StartCloud = async () => {
    const faults: string[] = []
    const { probe, apply, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel } = bed.calls
    const dataplane: Dataplane = {
      ...{ probe, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel },
      ...{ answerMetadata: () => undefined, onAvailable: () => () => undefined, close: async () => undefined },
      async apply(wanted) {
        const applied = await apply(wanted)
        faults.push(...faultsOf(applied))
        return applied
      },
    }
    const cloud = await openSimulatedCloud({ dataplane })
    return {
      ...cloud.engine.ports,
      capabilities: cloud.engine.capabilities.compute,
      balancingCapabilities: cloud.engine.capabilities['load-balancing'],
      ...{ member: memberOf('ours'), stranger: memberOf('theirs'), operator },
      row: async (kind, id) => cloud.memory.get(kind, id),
      bootImage: () => Readable.from([rawDisk()]),
      ...{ flavor: 's1.nano', largerFlavor: 's1.micro', network: defaultNetworkId, node: thisNodeId },
      address: (place) => `10.20.3.${place}`,
      async close() {
        await cloud.close()
        if (faults.length > 0) throw new Error(`this host could not be made so: ${faults.join('; ')}`)
      },
    }
  }
  describeEngine(start, networkSuites)
})
