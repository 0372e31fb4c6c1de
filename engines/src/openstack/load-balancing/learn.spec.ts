import { expect, test, vi } from 'vitest'
import { refusal } from '../../conformance/cloud'
import { startBalancingFixture } from '../testing/balancing-fixture'
import { loopbackCertificate } from '../testing/certificate'
import { startEngineFixture } from '../testing/engine-fixture'
import { loadBalancerReader } from './balancers/reader'
import { lbFlavorReader } from './flavors/reader'
import { learnBalancing, unknownBalancerService } from './learn'
import { lbPoolReader } from './pools/reader'

test('learns the capabilities of load balancers from their providers and the key manager', async () => {
  const fixture = await startBalancingFixture({ keepsKeys: false })
  try {
    expect(fixture.service).toMatchObject({
      unavailable: null,
      capabilities: {
        ...{ load_balancers: true, high_availability: false, tls_termination: false },
        protocols: ['HTTP', 'HTTPS', 'TCP', 'UDP'],
        algorithms: ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP', 'SOURCE_IP_PORT'],
        providers: [
          { name: 'amphora', failover: true, tls_termination: false },
          { name: 'ovn', protocols: ['TCP', 'UDP'], algorithms: ['SOURCE_IP_PORT'], failover: false },
        ],
      },
    })
    const flavors = [...fixture.index.values()].filter(({ flavor_profile_id }) => flavor_profile_id !== undefined)
    expect(flavors.map(({ name }) => name)).toEqual(['amphora', 'ovn'])
    const { cert: certificate, key: private_key } = loopbackCertificate()
    const tls = { protocol: 'HTTPS' as const, protocol_port: 443, tls_enabled: true, certificate, private_key }
    expect(await refusal(fixture.pool((await fixture.balancer()).id, tls))).toMatchObject({
      code: 'unsupported',
      fields: { tls_enabled: [expect.any(String)] },
    })
  } finally {
    await fixture.close()
  }
})

test('reports a cloud without the service, and reads no load balancers from it', async () => {
  const fixture = await startEngineFixture()
  const service = unknownBalancerService()
  const { reading, log } = fixture.engine
  const learning = learnBalancing({ account: reading.caller, log }, service)
  try {
    learning.start()
    await vi.waitFor(() => expect(service.unavailable).toBe('The cloud has no load balancer service'))
    expect(service.capabilities).toMatchObject({ load_balancers: false, protocols: [], providers: [] })
    for (const reader of [loadBalancerReader, lbPoolReader, lbFlavorReader]) {
      const rows: unknown[] = []
      for await (const page of reader.all(reading)) rows.push(...page)
      expect(rows).toEqual([])
    }
  } finally {
    learning.stop()
    await fixture.close()
  }
})
