import { networks, type Network } from '@mainstay/contract/networking/networks'
import { subnets, type Subnet } from '@mainstay/contract/networking/subnets'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { EditIcon, NetworkIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { Mono } from '../../../ui/values/Mono'
import { AddressMap } from '../addresses/AddressMap'
import { HolderName } from '../addresses/HolderLine'
import { addressCells } from '../addresses/map'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { routerResource } from '../routers/resource'
import { modeKeys as ipv6Keys } from '../subnets/SubnetFields'
import { useRouters } from '../../../pickers/networking-lists'
import { useNetworkingCan } from '../../../pickers/use-network-service'
import { isOfProject, modeKeys, modeOfNetwork } from './network-words'
import { NetworkTypes } from './NetworkTypes'
import css from './networks.module.css'
import { networkResource } from './resource'
import { useMayChange } from './use-network-actions'

/** A network's subnets, each with its address map, and the network's properties. */
export function NetworkOverview({ network }: { network: Network }) {
  const t = useT('networking')
  return (
    <div className={css.place}>
      <div className={css.grid}>
        <div className={css.column}>
          {network.subnets.length === 0 && <EmptyState icon={NetworkIcon}>{t('networks.noSubnets')}</EmptyState>}
          {network.subnets
            .toSorted((a, b) => a.ip_version - b.ip_version)
            .map((subnet) => (
              <SubnetPanel key={subnet.id} network={network} subnet={subnet} />
            ))}
        </div>
        <div className={css.column}>
          <Properties network={network} />
        </div>
      </div>
    </div>
  )
}

function SubnetPanel({ network, subnet }: { network: Network; subnet: Subnet }) {
  const t = useT('networking')
  const may = useMay()
  const isTheirs = useMayChange()
  const mayEdit = may(subnets.update.needs) && isTheirs(network)
  const place = subnet.ip_version === 4 ? 'editIPv4subnet' : 'editIPv6subnet'
  return (
    <Panel
      title={<Mono>{subnet.cidr}</Mono>}
      count={`IPv${subnet.ip_version}`}
      action={
        mayEdit && (
          <Link
            to={networkResource.paths.below(network.id, place, subnet.id)}
            className={buttonClass({ variant: 'plain', size: 'small' })}
          >
            <EditIcon />
            <span>{t('subnets.edit')}</span>
          </Link>
        )
      }
    >
      <Addresses network={network} subnet={subnet} />
      <Facts
        rows={[
          [
            t('subnets.gateway'),
            subnet.gateway_ip === null ? t('subnets.none') : <Mono key="g">{subnet.gateway_ip}</Mono>,
          ],
          [t('subnets.dhcp'), t(subnet.enable_dhcp ? 'on' : 'off')],
          subnet.ip_version === 6 && [
            t('subnets.mode'),
            t(ipv6Keys[(subnet.ipv6_address_mode ?? 'none') as keyof typeof ipv6Keys]),
          ],
          [
            t('subnets.pools'),
            <span key="pools" className={css.lines}>
              {subnet.allocation_pools.map(({ start, end }) => (
                <Mono key={start}>{t('plan.fromTo', { first: start, last: end })}</Mono>
              ))}
            </span>,
          ],
          [
            t('subnets.dns'),
            subnet.dns_nameservers.length === 0 ? (
              t('subnets.dnsOwn')
            ) : (
              <span key="dns" className={css.lines}>
                {subnet.dns_nameservers.map((it) => (
                  <Mono key={it}>{it}</Mono>
                ))}
              </span>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

function Addresses({ network, subnet }: { network: Network; subnet: Subnet }) {
  const t = useT('networking')
  const format = useFormat()
  // holders change along with ports, so port events refresh them
  const { data, isLoading } = useView(networks.holders, { id: network.id }, { kind: { name: 'port' } })
  if (isLoading) return <Skeleton width="100%" />
  const holders = data?.data ?? []
  const map = addressCells(subnet.cidr, subnet.allocation_pools, holders)
  if (map) return <AddressMap map={map} label={t('map.label', { cidr: subnet.cidr })} />
  const here = holders.filter(({ address, kind }) => address.includes(':') && kind !== 'reserved')
  return (
    <>
      <p className={css.dim}>{t('networks.usedOnly', { count: here.length, shown: format.number(here.length) })}</p>
      <SmallTable
        label={t('map.label', { cidr: subnet.cidr })}
        rows={here.slice(0, 200)}
        keyOf={({ address }) => address}
        columns={[
          { id: 'address', label: t('ports.address'), render: ({ address }) => <Mono>{address}</Mono> },
          { id: 'holder', label: t('ports.device'), render: (holder) => <HolderName holder={holder} /> },
        ]}
      />
    </>
  )
}

/** True for the default network, whose instances reach the outside through the host and do not require a router. */
const leadsOutByHost = ({ type, router_external }: Network) => type === 'flat' && !router_external

function Properties({ network }: { network: Network }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const routers = useRouters().rows.filter(({ interfaces_info }) =>
    interfaces_info.some(({ network_id }) => network_id === network.id),
  )
  const mode = modeOfNetwork(network)
  const isOnThisHost = useNetworkingCan('published_ports')
  return (
    <Panel title={t('properties')}>
      <Facts
        rows={[
          [t('networks.type'), <NetworkTypes key="type" network={network} />],
          isOnThisHost && leadsOutByHost(network) && [t('networks.router'), t('networks.byHost')],
          isOfProject(network) && [
            t('networks.router'),
            routers.length === 0 ? (
              t('networks.notConnectedYet')
            ) : (
              <span key="router" className={css.lines}>
                {routers.map(({ id, name }) => (
                  <Link key={id} to={routerResource.paths.view(id)}>
                    {name}
                  </Link>
                ))}
              </span>
            ),
          ],
          mode !== null && [t('networks.access'), t(modeKeys[mode])],
          isAllTenants && network.physical_network != null && [t('networks.physical'), network.physical_network],
          [t('networks.mtu'), String(network.mtu)],
          [t('networks.spoofing'), t(network.spoofing_protection ? 'on' : 'off')],
          ...standardFacts(network, patterns, isAllTenants),
        ]}
      />
    </Panel>
  )
}
