import { fieldProblem, withField } from '@mainstay/contract/core/problems'
import { MIN_MTU_IPV6 } from '@mainstay/contract/networking/address-texts'
import type { Network } from '@mainstay/contract/networking/networks'
import { changedSubnet, subnetFaults, type WholeSubnet } from '@mainstay/contract/networking/subnet-rules'
import type { Ipv6Mode, Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { NetworkingPort } from '../../../ports/networking'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow } from '../marks'
import { networkReader } from '../networks/reader'
import { orElse, refuseFaults } from '../refusals'
import { usersOf } from '../users'
import { atChanged, checkSubnet, makeSubnet } from './body'
import { subnetReader } from './reader'

const whole = (row: Subnet): WholeSubnet => ({
  ...row,
  ipv6_address_mode: row.ipv6_address_mode as Ipv6Mode | null,
  ipv6_ra_mode: row.ipv6_ra_mode as Ipv6Mode | null,
})

/** Subnet commands. They also refresh the network, which lists its subnets. */
export function subnetCommands(engine: Engine): NetworkingPort['subnets'] {
  const { refresh } = engine
  return {
    async create(scope, { network_id, ...draft }) {
      const network = await orElse(engine.known<Network>('network', scope, network_id), () =>
        Promise.reject(fieldProblem('network_id', 'networking.no_such_network')),
      )
      const subnet = checkSubnet(draft)
      const same = network.subnets.find(({ ip_version }) => ip_version === subnet.ip_version)
      if (same)
        throw fieldProblem('cidr', 'networking.network_has_subnet', { version: subnet.ip_version, cidr: same.cidr })
      if (subnet.ip_version === 6 && network.mtu < MIN_MTU_IPV6)
        throw fieldProblem('cidr', 'networking.ipv6_mtu_of_network', { least: MIN_MTU_IPV6 })
      const cloud = await engine.as(scope)
      const id = await makeSubnet(cloud, network_id, draft, { projectId: network.project_id })
      await unlessGone(refresh(networkReader, network_id))
      return refresh(subnetReader, id)
    },

    async update(scope, id, change) {
      const row = await engine.known<Subnet>('subnet', scope, id)
      const after = changedSubnet(whole(row), change)
      const changed = Object.keys(change)
      // ignore errors in unchanged fields, because other clients may create subnets that are invalid here
      const faults = subnetFaults(after).filter(({ field }) =>
        changed.some((name) => field === name || field.startsWith(`${name}.`) || field.startsWith('allocation_pools.')),
      )
      refuseFaults(faults)
      const { name, gateway_ip, enable_dhcp, dns_nameservers } = change
      const follows = after.allocation_pools !== row.allocation_pools
      const body = {
        ...(name !== undefined && { name }),
        ...(gateway_ip !== undefined && { gateway_ip }),
        ...(enable_dhcp !== undefined && { enable_dhcp }),
        ...(dns_nameservers !== undefined && { dns_nameservers }),
        ...(follows && { allocation_pools: after.allocation_pools }),
      }
      const cloud = await engine.as(scope)
      const sent = cloud.send('PUT', 'network', `/subnets/${encodeURIComponent(id)}`, z.void(), {
        body: { subnet: body },
      })
      await orElse(sent, (problem) => {
        throw atChanged(problem, changed)
      })
      await unlessGone(refresh(networkReader, row.network_id))
      return refresh(subnetReader, id)
    },

    async delete(scope, id) {
      const { network_id } = await engine.known<Subnet>('subnet', scope, id)
      const cloud = await engine.as(scope)
      await orElse(deleteRow(cloud, 'subnets', id), async (problem) => {
        if (problem.code !== 'subnet_in_use') throw problem
        const { used_by, words } = await usersOf(engine, scope, { network_id }, ({ fixed_ips }) =>
          fixed_ips.some(({ subnet_id }) => subnet_id === id),
        )
        const message = words === '' ? undefined : says('networking.subnet_in_use_by', { names: words })
        throw withField(problem, { message, data: { used_by } })
      })
      await unlessGone(refresh(subnetReader, id))
      await unlessGone(refresh(networkReader, network_id))
    },
  }
}
