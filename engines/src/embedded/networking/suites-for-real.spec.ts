import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import type { StartCloud } from '../../conformance/cloud'
import { describeEngine, networkSuites } from '../../conformance/engine'
import { rawDisk } from '../../conformance/images'
import { thisNodeId } from '../../ports/named-id'
import { openBed, type Bed } from '../dataplane/testing/bed'
import { modes } from '../dataplane/testing/driver-process'
import type { Applied, Dataplane } from '../../network-model/wanted'
import { memberOf, openSimulatedCloud, operator } from '../testing/embedded-cloud'
import { defaultNetworkId } from './default-network'

/*
 * The networking suite that all engines share, on real switches, rules and routers. The kernel must accept everything
 * that the records accept.
 */

/** Returns the faults found while applying the configuration, as text. */
const faultsOf = ({ unchanged: _, ...kinds }: Applied): string[] =>
  Object.values(kinds).flatMap((faults) => [...faults].map(([id, why]) => `${id}: ${why}`))

const [asUser, asRoot] = [needs('networks'), needs('root', 'networks')]
describe.each(modes)('this host’s networks (rootless: $rootless)', ({ rootless }) => {
  let bed: Bed
  beforeAll(async () => {
    bed = await openBed({ rootless })
    expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
  })
  afterAll(() => bed.end())

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
  describe('on real switches', rootless ? asUser : asRoot, () => describeEngine(start, networkSuites))
})
