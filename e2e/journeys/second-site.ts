import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { networks } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { signIn, type ApiClient } from '../../server/src/testing/api-client'
import { ADMIN_PASSWORD } from '../../server/src/testing/server-program'

const admin = { username: 'admin', password: ADMIN_PASSWORD }
const addressOf = ({ external_gateway_info: way }: Router) => way!.external_fixed_ips[0]!.ip_address

interface End {
  site: ApiClient
  router: Router
  subnet: { id: string; cidr: string }
}

/** Creates the VPN connection at the `from` end of the tunnel. */
const join = (name: string, from: End, to: End) =>
  from.site.call(ipsecSiteConnections.create, {
    body: {
      vpnservice: { router_id: from.router.id },
      ipsec_site_connection: { name, peer_address: addressOf(to.router), psk: 'a key that both ends know' },
      ikepolicy: { name: `${name}-ike` },
      ipsecpolicy: { name: `${name}-ipsec` },
      local_ep_group: { name: `${name}-local`, endpoints: [from.subnet.id] },
      peer_ep_group: { name: `${name}-peer`, endpoints: [to.subnet.cidr] },
    },
  })

/**
 * Creates a second project for `admin` with a network in this range. Connects this network to the network `front` in
 * the first project with a VPN tunnel to the router `edge`. Returns the second router's internal address.
 */
export async function openSecondSite(url: string, cidr: string): Promise<string> {
  const person = await signIn(url, admin)
  const [first] = (await person.call(session.projects)).data
  const here = await signIn(url, { ...admin, project: first!.name })
  const inDomain = { domain_id: 'default' }
  const { id: project_id } = await person.call(projects.create, { params: inDomain, body: { name: 'branch' } })
  const { id } = await person.call(session.whoami)
  await person.call(users.update, {
    params: { ...inDomain, id },
    body: { assigned_projects: [{ project_id, role: 'project_admin' }] },
  })
  const there = await signIn(url, { ...admin, project: 'branch' })

  const [outside] = (await there.call(networks.list, { query: { name: 'exact:outside' } })).data
  const [front] = (await here.call(networks.list, { query: { name: 'exact:front' } })).data
  const [edge] = (await here.call(routers.list, { query: { name: 'exact:edge' } })).data
  const yard = await there.call(networks.createPrivate, { body: { name: 'yard', subnets: [{ cidr }] } })
  const gate = await there.call(routers.create, {
    body: {
      ...{ name: 'gate', external_gateway_info: { network_id: outside!.id } },
      internal_interfaces: [{ network_id: yard.id }],
    },
  })
  const [ours, theirs] = [
    { site: here, router: edge!, subnet: front!.subnets[0]! },
    { site: there, router: gate, subnet: yard.subnets[0]! },
  ]
  await join('to-branch', ours, theirs)
  await join('to-front', theirs, ours)
  return gate.interfaces_info[0]!.fixed_ips[0]!.ip_address
}
