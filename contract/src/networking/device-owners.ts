/** Owner types of ports, as in OpenStack. An unused port has an empty owner. */
export const deviceOwners = {
  instance: 'compute:nova',
  routerInterface: 'network:router_interface',
  routerGateway: 'network:router_gateway',
  floatingIp: 'network:floatingip',
  service: 'network:dhcp',
  loadBalancer: 'Octavia',
} as const

/** Whether a port belongs to a load balancer. */
export const isOfLoadBalancer = (owner: string): boolean => /loadbalancer|octavia/i.test(owner)
