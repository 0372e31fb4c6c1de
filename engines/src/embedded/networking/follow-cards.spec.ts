import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Port } from '@mainstay/contract/networking/ports'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../conformance/cloud'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from '../testing/embedded-cloud'
import { defaultNetworkId } from './default-network'
import { followCards } from './follow-cards'

const scope = memberOf('ours')
const nothing = () => undefined
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing }
let cloud: SimulatedCloud
afterEach(() => cloud.close())

test('a port is DOWN while its running instance has lost the network interface', async () => {
  cloud = await openSimulatedCloud()
  const draft = InstanceDraft.parse({
    ...{ name: 'web', flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
    networks: [{ id: defaultNetworkId }],
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  const { id, network_data } = cloud.memory.get<Instance>('server', row!.id)!
  const portId = network_data[0]!.port_id
  const port = () => cloud.memory.get<Port>('port', portId)!
  let isHeld = true
  let looks = 0
  const machines = {
    ...cloud.hypervisor.machines,
    heldCards: async () => {
      looks++
      return new Map([[portId, isHeld]])
    },
  }
  const hypervisor = { ...cloud.hypervisor, machines }
  const { carrier } = cloud.engine
  const stop = followCards({ records: cloud.server.records, log: silent, carrier, hypervisor }, 5)
  try {
    const seen = async () => {
      const before = looks
      await until('two more looks', async () => (looks > before + 2 ? true : null))
      return [port().status, port().fault ?? null]
    }
    const lost = ['DOWN', expect.stringContaining('Reboot')]
    expect(await seen()).toEqual(['ACTIVE', null])
    isHeld = false
    expect(await seen()).toEqual(lost)
    // applying the configuration again does not restore the interface
    await cloud.engine.carrier.settled()
    expect(await seen()).toEqual(lost)
    isHeld = true
    expect(await seen()).toEqual(['ACTIVE', null])
    isHeld = false
    expect(await seen()).toEqual(lost)
    await cloud.compute.instances.stop(scope, id, { hard: true, timeoutSeconds: 0 })
    await cloud.server.idle()
    expect(await seen()).toEqual(['DOWN', null])
  } finally {
    await stop()
  }
})
