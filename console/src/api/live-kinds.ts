import type { ResourceName } from '@mainstay/contract/permissions'

/**
 * Kinds whose changes the console understands, and the right that reading them takes. A change of another kind is
 * reported as a fault: somebody added a kind and forgot this line.
 */
export const liveKinds: Readonly<Record<string, ResourceName>> = {
  server: 'compute_servers',
  image: 'compute_images',
  flavor: 'compute_flavors',
  key: 'compute_keys',
  server_group: 'compute_server_groups',
  placement: 'compute_traits',
  compute_node: 'compute_nodes',
  volume: 'compute_volumes',
  network: 'compute_networks',
  subnet: 'compute_subnets',
  task: 'tasks',
  domain: 'domain',
  user: 'domain_user',
  project: 'domain_project',
}
