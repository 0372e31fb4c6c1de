import { expect, test } from 'vitest'
import { forwardings, isForwarding, poolFaults, poolProtocols, portsConflict } from './forwarding'
import { LoadBalancerFlavorProfile } from './flavors'
import { Amphora, isInProgress, loadBalancerStatuses } from './load-balancers'

test('a load balancer is in progress while it is being made or deleted, and else not [ST-047]', () => {
  expect(loadBalancerStatuses.filter(isInProgress)).toEqual(['CREATING', 'DELETING'])
})

test('two topologies are there, and three roles of what carries a balancer [CO-065] [CO-066]', () => {
  const ofTopology = LoadBalancerFlavorProfile.shape.flavor_data.shape.loadbalancer_topology
  expect(ofTopology.options.toSorted()).toEqual(['ACTIVE_STANDBY', 'SINGLE'])
  expect(Amphora.shape.role.options.toSorted()).toEqual(['BACKUP', 'MASTER', 'STANDALONE'])
})

test('five ways of forwarding are there, of all that protocols could be combined to', () => {
  const all = poolProtocols.flatMap((protocol) =>
    poolProtocols.flatMap((backend_protocol) =>
      [true, false].map((tls_enabled) => ({ protocol, backend_protocol, tls_enabled })),
    ),
  )
  expect(all.filter(isForwarding)).toHaveLength(forwardings.length)
})

test('each way has what goes with it: headers, sticky sessions, the PROXY protocol and monitors', () => {
  const faultsOf = (wishes: Parameters<typeof poolFaults>[1]) =>
    forwardings.map((forwarding) => poolFaults(forwarding, wishes).length)
  // HTTP, HTTPS, HTTPS that ends here, TCP, UDP
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

test('ports are taken by those who speak over TCP among themselves, and by UDP apart', () => {
  const [http, tcp, udp] = (['HTTP', 'TCP', 'UDP'] as const).map((protocol) => ({ protocol, protocol_port: 53 }))
  expect([portsConflict(http!, tcp!), portsConflict(tcp!, udp!), portsConflict(udp!, udp!)]).toEqual([true, false, true])
  expect(portsConflict(http!, { ...tcp!, protocol_port: 54 })).toBe(false)
})
