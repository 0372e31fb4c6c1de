import { expect, test } from 'vitest'
import { routerForFloatingIp } from './floating-ip-rules'

const router = (id: string, address: string, external: string | null) => ({
  id,
  external_gateway_info: external === null ? null : ({ network_id: external } as never),
  interfaces_info: [{ fixed_ips: [{ subnet_id: 's', ip_address: address }] }] as never,
})
const subnet = { id: 's', gateway_ip: '10.0.0.1' }

test("prefers the router that is the subnet's gateway if two routers lead to the external network", () => {
  const [beside, gateway] = [router('beside', '10.0.0.2', 'out'), router('gateway', '10.0.0.1', 'out')]
  for (const routers of [
    [beside, gateway],
    [gateway, beside],
  ])
    expect(routerForFloatingIp(subnet, 'out', routers)).toEqual({ router: gateway, reason: null })
})
