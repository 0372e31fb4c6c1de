import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { vpnStatuses } from './connection-status'
import { permissions } from './permissions'

/** A router's VPN service. It is created with the first connection and deleted with the last one. */
export const VpnService = z.object({
  id: z.string(),
  name: z.string(),
  router_id: z.string(),
  router_name: z.string(),
  status: z.enum(vpnStatuses),
  /** Addresses of the router's external gateway, where peers connect. */
  external_v4_ip: z.string().nullable(),
  external_v6_ip: z.string().nullable(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type VpnService = z.infer<typeof VpnService>

export const vpnServiceKind = kind({
  name: 'vpn_service',
  entity: VpnService,
  visibility: 'project',
  status: 'status',
  filters: ['id', 'name', 'status', { name: 'router_id', type: 'id' }, 'project_id', 'domain_id'],
  sortKeys: ['name', 'created_at'],
  permissions,
})

export const vpnServices = endpoints(
  crud(vpnServiceKind, {
    path: '/api/v2/compute/vpn/vpnservices',
    called: ['a VPN service', 'VPN services'],
  }),
)
