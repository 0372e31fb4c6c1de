import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, OptionalName, Tag, Time } from '../core/names'
import { IpAddress, MachineAddress } from './address-fields'
import { MacAddress } from './mac-address'
import { deviceOwners } from './device-owners'
import { VnicType } from './networks'

export { deviceOwners }

export const PortStatus = z.enum(['ACTIVE', 'DOWN', 'BUILD', 'ERROR'])

/** A port: the attachment of an object to a network. */
export const Port = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  network_id: z.string(),
  network_name: z.string(),
  status: PortStatus,
  fault: z.string().nullable().optional(),
  admin_state_up: z.boolean(),
  mac_address: z.string(),
  fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
  /** ID of the instance or router; empty if the port is unused. */
  device_id: z.string(),
  device_owner: z.string(),
  /** Display name of the instance or router. */
  device_name: z.string(),
  /** Host name in the network's DNS; empty if there is none. */
  dns_name: z.string().optional(),
  'binding:vnic_type': VnicType,
  /** Returned only to system scopes. */
  'binding:host_id': z.string().nullable().optional(),
  spoofing_protection: z.boolean(),
  /** IDs of security groups. */
  security_groups: z.array(z.string()),
  /** IDs of the floating IPs that are assigned to the port. */
  floating_ips: z.array(z.string()),
  tags: z.array(z.string()),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Port = z.infer<typeof Port>

export const MAX_GROUPS_OF_PORT = 32
const FixedIpsOf = (address: typeof IpAddress) =>
  z
    .array(z.strictObject({ ip_address: address, subnet_id: Id.optional() }))
    .max(5, says('networking.too_many_addresses', { most: 5 }))
const fields = {
  name: OptionalName,
  description: Description,
  admin_state_up: z.boolean(),
  /** Allows reserved addresses, so that a port can keep those that it already has. */
  fixed_ips: FixedIpsOf(IpAddress),
  spoofing_protection: z.boolean(),
  security_groups: z
    .array(Id)
    .max(MAX_GROUPS_OF_PORT, says('networking.too_many_groups', { most: MAX_GROUPS_OF_PORT })),
  tags: z.array(Tag).max(50, says('core.too_many_tags', { most: 50 })),
  /** Operators only. */
  device_id: z.string().max(255),
  device_owner: z.string().max(255),
  'binding:host_id': z.string().max(255),
  'binding:vnic_type': VnicType,
}

export const PortDraft = z
  .strictObject({ ...fields, fixed_ips: FixedIpsOf(MachineAddress), mac_address: MacAddress, project_id: Id })
  .partial()
  .extend({ network_id: Id })
  .meta({ examples: [{ network_id: someId('network'), name: 'spare' }] })
export type PortDraft = z.infer<typeof PortDraft>

/** Network, MAC address and project are accepted if unchanged, because clients send them back. */
export const PortChange = z
  .strictObject({ ...fields, mac_address: MacAddress, project_id: Id, network_id: Id })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type PortChange = z.infer<typeof PortChange>

export const portKind = kind({
  name: 'port',
  entity: Port,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    'network_id',
    { name: 'device_id', type: 'id' },
    { name: 'device_owner', type: 'id' },
    { name: 'dns_name', type: 'id' },
    { name: 'mac_address', type: 'id' },
    { name: 'fixed_ips', path: 'derived.addresses', type: 'tags', addresses: true },
    { name: 'subnet_id', path: 'derived.subnet_ids', type: 'tags' },
    { name: 'security_group', path: 'security_groups', type: 'tags' },
    'tags',
    { name: 'binding:host_id', type: 'id' },
    'project_id',
  ],
  sortKeys: ['name', 'created_at', 'status'],
  search: ['name', 'id', 'mac_address', 'device_name'],
  derive: {
    version: 1,
    from: ({ fixed_ips }) => ({
      addresses: fixed_ips.map(({ ip_address }) => ip_address),
      subnet_ids: fixed_ips.map(({ subnet_id }) => subnet_id),
    }),
  },
  systemOnly: ['binding:host_id'],
  permissions: { collection: 'compute_ports', item: 'compute_port' },
})

const path = '/api/v2/compute/ports'
const usual = crud(portKind, {
  path,
  called: ['a port', 'ports'],
  draft: PortDraft,
  change: PortChange,
  delete: true,
  summaries: { delete: 'Delete a port. It must not be used by a virtual machine, a router or a floating IP.' },
})
export const ports = endpoints({
  ...usual,
  put: { ...usual.update, verb: 'PUT', summary: 'Update a port. Same as PATCH, for command-line clients.' },
})
