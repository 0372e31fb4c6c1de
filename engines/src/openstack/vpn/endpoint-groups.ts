import { endpointGroupKind, endpointTypes, type VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { beforeTimes, pageSize } from '../networking/wire'
import { restReader } from '../rest-reader'
import { withoutMark } from './marks'
import { oneOf } from './policies'
import { fieldsOf, lists } from './wire'

/** Endpoint groups in all projects, with subnets or CIDRs. Other types are not shown. */
export const endpointGroupReader = restReader({
  ...{ ...lists.groups, fields: fieldsOf(lists.groups.item) },
  kind: endpointGroupKind.name,
  service: 'network',
  query: { limit: pageSize },
  isOptional: true,
  async row(wire, { domainOf }): Promise<VpnEndpointGroup | null> {
    const type = oneOf(endpointTypes, wire.type)
    if (!type) return null
    const { id, name, description, endpoints, project_id } = wire
    return {
      ...{ id, name: name || id, description: withoutMark(description), type, endpoints },
      ...{ project_id, domain_id: await domainOf(project_id), created_at: beforeTimes, updated_at: beforeTimes },
    }
  },
})
