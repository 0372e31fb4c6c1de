import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Learning } from '../keep-learning'
import { startEngineFixture, type EngineFixture } from '../testing/engine-fixture'
import { learnExtensions, usualNetworkService } from './learn-extensions'

let fixture: EngineFixture
let learning: Learning
const service = usualNetworkService()
beforeEach(async () => {
  fixture = await startEngineFixture()
  Object.assign(service, usualNetworkService())
  const { engine } = fixture
  learning = learnExtensions({ account: engine.reading.caller, log: engine.log }, service)
})
afterEach(async () => {
  learning.stop()
  await fixture.close()
})

const extensions = (...aliases: string[]) =>
  fixture.cloud.on('network', 'GET', '/extensions', () => ({
    body: { extensions: aliases.map((alias) => ({ alias, name: alias })) },
  }))

test("learns the networking capabilities from the cloud's extensions", async () => {
  extensions('external-net', 'provider', 'security-group', 'quotas')
  learning.start()
  await vi.waitFor(() => expect(service.capabilities.routers).toBe(false))
  expect(service).toEqual({
    unavailable: null,
    capabilities: {
      ...{ networks: true, external_networks: false, vlan_networks: false, routers: false, floating_ips: false },
      ...{ security_groups: true, spoofing_protection: false, direct_vnics: false },
      ...{ published_ports: false, reach_probe: false },
    },
  })
})

test('assumes all extensions until the cloud reports them', async () => {
  let asked = 0
  fixture.cloud.on('network', 'GET', '/extensions', () => {
    asked++
    return { status: 403, body: { NeutronError: { type: 'PolicyNotAuthorized', message: 'No.' } } }
  })
  learning.start()
  await vi.waitFor(() => expect(asked).toBe(1))
  expect(service).toEqual(usualNetworkService())
  learning.stop()

  extensions('external-net', 'provider', 'rbac-policies', 'router', 'security-group', 'port-security')
  learnExtensions({ account: fixture.engine.reading.caller, log: fixture.engine.log }, service).start()
  await vi.waitFor(() => expect(fixture.cloud.received.filter(({ path }) => path === '/extensions')).toHaveLength(2))
  expect(service).toEqual(usualNetworkService())
})

test('reports a cloud without a network service', async () => {
  const { catalogue } = fixture.cloud
  catalogue.splice(0, catalogue.length, ...catalogue.filter((it) => (it as { type: string }).type !== 'network'))
  fixture.cloud.expireTokens()
  learning.start()
  await vi.waitFor(() => expect(service.unavailable).toBe('The cloud has no network service'))
})
