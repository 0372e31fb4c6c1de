/** What a port belongs to, as OpenStack says it. Empty: nothing yet. */
export const deviceOwners = {
  instance: 'compute:nova',
  routerInterface: 'network:router_interface',
  routerGateway: 'network:router_gateway',
  floatingIp: 'network:floatingip',
  service: 'network:dhcp',
  loadBalancer: 'Octavia',
} as const

/** Whether a port is one of a load balancer. */
export const isOfLoadBalancer = (owner: string): boolean => /loadbalancer|octavia/i.test(owner)
