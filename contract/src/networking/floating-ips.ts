import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, Time } from '../core/names'
import { Ipv4, PortNumber } from './address-fields'

/** A port of a floating IP that is published on a loopback address of the host (embedded engine). */
export const PublishedPort = z.object({
  port: z.number().int(),
  protocol: z.enum(['tcp', 'udp']),
  /** Address on the host, such as `127.50.0.7`; `host_port` is the port. */
  host_address: z.string(),
  host_port: z.number().int(),
  /** Why the published port is not open at the moment. */
  fault: z.string().nullable(),
})
export type PublishedPort = z.infer<typeof PublishedPort>

/** A floating IP (S2§3). */
export const FloatingIp = z.object({
  id: z.string(),
  description: z.string(),
  floating_ip_address: z.string(),
  floating_network_id: z.string(),
  floating_network_name: z.string(),
  /** Fixed IP address that the floating IP is assigned to. */
  fixed_ip_address: z.string().nullable(),
  port_id: z.string().nullable(),
  router_id: z.string().nullable(),
  /** Owner of the port. */
  attachment: z.object({ object_name: z.string(), object_id: z.string(), device_owner: z.string() }).nullable(),
  /** Name of the owner, as command-line clients list it. */
  attached_to: z.string().nullable(),
  /** DOWN: not assigned. */
  status: z.enum(['ACTIVE', 'DOWN', 'ERROR']),
  fault: z.string().nullable().optional(),
  /** Omitted if the engine does not publish ports. */
  published_ports: z.array(PublishedPort).optional(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type FloatingIp = z.infer<typeof FloatingIp>

export const FloatingIpDraft = z
  .strictObject({
    floating_network_id: Id,
    /** If omitted, the floating IP is not assigned. */
    port_id: Id.nullable().optional(),
    /** IP address of the port. Default: its first IPv4 address. */
    fixed_ip_address: Ipv4.nullable().optional(),
    description: Description.default(''),
    /** Requests a specific address; operators only. */
    floating_ip_address: Ipv4.optional(),
  })
  .meta({ examples: [{ floating_network_id: someId('network') }] })
export type FloatingIpDraft = z.infer<typeof FloatingIpDraft>

/** `port_id: null` unassigns the floating IP. */
export const FloatingIpChange = z
  .strictObject({ port_id: Id.nullable(), fixed_ip_address: Ipv4.nullable(), description: Description })
  .partial()
  .meta({ examples: [{ description: 'for the shop' }] })
export type FloatingIpChange = z.infer<typeof FloatingIpChange>

/**
 * Reasons why a port cannot have a floating IP from a network. `host_network`: traffic leaves through the host itself
 * instead of a router.
 */
export const targetReasons = [
  'no_router',
  'host_network',
  'router_without_gateway',
  'other_external_network',
  'has_floating_ip',
  'no_ipv4_address',
] as const
/** A possible target of a floating IP. */
export const FloatingIpTarget = z.object({
  port_id: z.string(),
  fixed_ip_address: z.string(),
  network_id: z.string(),
  network_name: z.string(),
  object_id: z.string(),
  object_name: z.string(),
  device_owner: z.string(),
  /** Router that would connect the target. */
  router_id: z.string().nullable(),
  /** Null if the target is suitable. */
  reason: z.enum(targetReasons).nullable(),
})
export type FloatingIpTarget = z.infer<typeof FloatingIpTarget>

export const floatingIpKind = kind({
  name: 'floating_ip',
  entity: FloatingIp,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    { name: 'floating_ip_address', type: 'text' },
    'status',
    'floating_network_id',
    { name: 'fixed_ip_address', type: 'text' },
    'port_id',
    'router_id',
    { name: 'assigned', path: 'derived.assigned', type: 'boolean' },
    { name: 'object_id', path: 'derived.object_id', type: 'id' },
    'project_id',
    'domain_id',
  ],
  sortKeys: ['floating_ip_address', 'status', 'created_at'],
  defaultSort: 'floating_ip_address:asc',
  search: ['floating_ip_address', 'fixed_ip_address', 'attached_to', 'description', 'id'],
  derive: {
    version: 1,
    from: ({ port_id, attachment }) => ({ assigned: port_id !== null, object_id: attachment?.object_id ?? null }),
  },
  permissions: { collection: 'compute_networks_floating_ips_list', item: 'compute_networks_floating_ips' },
})

const path = '/api/v2/compute/floating_ips'
const usual = crud(floatingIpKind, {
  path,
  called: ['a floating IP', 'floating IPs'],
  draft: FloatingIpDraft,
  change: FloatingIpChange,
  delete: true,
  summaries: { create: 'Allocate a floating IP', delete: 'Release a floating IP' },
})
const published = z
  .strictObject({ port: PortNumber, protocol: z.enum(['tcp', 'udp']).default('tcp') })
  .meta({ examples: [{ port: 80 }] })

export const floatingIps = endpoints({
  ...usual,
  put: { ...usual.update, verb: 'PUT' },
  targets: {
    verb: 'GET',
    path: `${path}/:id/targets`,
    needs: read('compute_networks_floating_ips'),
    summary:
      'List possible targets of a floating IP. Returns at most 500 ports, and the reason for each unsuitable port.',
    query: z.looseObject({ search: z.string().max(255).optional() }),
    reply: z.object({ data: z.array(FloatingIpTarget), truncated: z.boolean() }),
  },
  publish: {
    verb: 'POST',
    path: `${path}/:id/publish`,
    needs: update('compute_networks_floating_ips'),
    summary: 'Publish a port of a floating IP. It can then be reached at an address of the host that runs the console.',
    body: published,
    reply: FloatingIp,
  },
  unpublish: {
    verb: 'POST',
    path: `${path}/:id/unpublish`,
    needs: update('compute_networks_floating_ips'),
    summary: 'Unpublish a port of a floating IP',
    body: published,
    reply: FloatingIp,
  },
})
