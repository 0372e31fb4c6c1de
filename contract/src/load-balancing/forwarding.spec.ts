import { expect, test } from 'vitest'
import { forwardings, isForwarding, poolFaults, poolProtocols, portsConflict } from './forwarding'
import { LoadBalancerFlavorProfile } from './flavors'
import { Amphora, isInProgress, loadBalancerStatuses } from './load-balancers'

test('a load balancer counts as in progress only while it is being created or deleted [ST-047]', () => {
  expect(loadBalancerStatuses.filter(isInProgress)).toEqual(['CREATING', 'DELETING'])
})

test('supports two topologies and three amphora roles [CO-065] [CO-066]', () => {
  const ofTopology = LoadBalancerFlavorProfile.shape.flavor_data.shape.loadbalancer_topology
  expect(ofTopology.options.toSorted()).toEqual(['ACTIVE_STANDBY', 'SINGLE'])
  expect(Amphora.shape.role.options.toSorted()).toEqual(['BACKUP', 'MASTER', 'STANDALONE'])
})

test('allows exactly five combinations of frontend protocol, backend protocol and TLS termination', () => {
  const all = poolProtocols.flatMap((protocol) =>
    poolProtocols.flatMap((backend_protocol) =>
      [true, false].map((tls_enabled) => ({ protocol, backend_protocol, tls_enabled })),
    ),
  )
  expect(all.filter(isForwarding)).toHaveLength(forwardings.length)
})

test('each forwarding type accepts only its own headers, sticky sessions, PROXY protocol and health checks', () => {
  const faultsOf = (wishes: Parameters<typeof poolFaults>[1]) =>
    forwardings.map((forwarding) => poolFaults(forwarding, wishes).length)
  // HTTP, HTTPS, HTTPS with TLS termination, TCP, UDP
  expect(faultsOf({ sticky_session: true })).toEqual([0, 1, 0, 0, 1])
  expect(faultsOf({ proxy_protocol_enabled: true })).toEqual([1, 0, 1, 0, 1])
  expect(faultsOf({ insert_headers: { 'X-Forwarded-For': true } })).toEqual([0, 1, 0, 1, 1])
  expect(faultsOf({ insert_headers: { 'X-SSL-Client-CN': true } })).toEqual([1, 1, 0, 1, 1])
  expect(faultsOf({ insert_headers: { 'X-SSL-Client-CN': false } })).toEqual([0, 0, 0, 0, 0])
  expect(faultsOf({ healthmonitor: { type: 'PING' } })).toEqual([0, 0, 0, 0, 1])
  expect(faultsOf({ healthmonitor: { type: 'UDP-CONNECT' } })).toEqual([1, 1, 1, 1, 0])
  expect(faultsOf({ certificate: 'x' })).toEqual([1, 1, 0, 1, 1])
  expect(faultsOf({ sni_certificates: [{}] })).toEqual([1, 1, 0, 1, 1])
})

test('pools conflict on a port if both use TCP or both use UDP', () => {
  const [http, tcp, udp] = (['HTTP', 'TCP', 'UDP'] as const).map((protocol) => ({ protocol, protocol_port: 53 }))
  expect([portsConflict(http!, tcp!), portsConflict(tcp!, udp!), portsConflict(udp!, udp!)]).toEqual([
    true,
    false,
    true,
  ])
  expect(portsConflict(http!, { ...tcp!, protocol_port: 54 })).toBe(false)
})
