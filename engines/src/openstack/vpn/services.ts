import { vpnServiceKind, type VpnService } from '@mainstay/contract/vpn/vpn-services'
import { namesIn } from '../networking/names'
import { beforeTimes, pageSize } from '../networking/wire'
import { unlessGone } from '../read-each'
import { restReader } from '../rest-reader'
import { statusOf } from './status'
import { fieldsOf, lists, rowsOf } from './wire'

/**
 * VPN services in all projects. There are no notifications about their status, and services without connections stay
 * pending.
 */
export const vpnServiceReader = restReader({
  ...{ ...lists.services, fields: fieldsOf(lists.services.item) },
  kind: vpnServiceKind.name,
  service: 'network',
  query: { limit: pageSize },
  isOptional: true,
  isNeverAnnounced: true,
  around: {
    async ofAll(reading, signal) {
      const services = (await unlessGone(rowsOf(reading.caller, 'services', {}, signal))) ?? []
      return namesIn(reading, 'routers', new Set(services.map(({ router_id }) => router_id)), signal)
    },
    ofOne: (reading, { router_id }, signal) => namesIn(reading, 'routers', [router_id], signal),
  },
  async row(wire, { domainOf }, routers): Promise<VpnService> {
    const { id, router_id, project_id } = wire
    const router_name = routers.get(router_id) ?? router_id
    return {
      ...{ id, name: wire.name || router_name, router_id, router_name, status: statusOf(wire.status) },
      ...{ external_v4_ip: wire.external_v4_ip ?? null, external_v6_ip: wire.external_v6_ip ?? null },
      ...{ project_id, domain_id: await domainOf(project_id), created_at: beforeTimes, updated_at: beforeTimes },
    }
  },
})
