import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { endpointGroupKind, endpointGroups } from '@mainstay/contract/vpn/endpoint-groups'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { useNetworks, useSubnets } from '../../../pickers/networking-lists'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { Panel } from '../../../ui/Panel'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Mono } from '../../../ui/values/Mono'
import { networkResource } from '../../networking/networks/resource'
import css from '../vpn.module.css'

/**
 * The networks on both sides of the tunnel. The peer must be configured with the same ranges, with local and remote
 * swapped.
 */
export function EndpointGroups({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  return (
    <div className={css.place}>
      <p className={css.dim}>{t('warn.mirror')}</p>
      <div className={css.halves}>
        <LocalGroup connection={connection} />
        <PeerGroup connection={connection} />
      </div>
    </div>
  )
}

function useGroup(id: string) {
  return useView(endpointGroups.view, { id }, { kind: endpointGroupKind }).data
}

function LocalGroup({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const group = useGroup(connection.local_ep_group_id)
  const { rows: subnets, isLoading } = useSubnets()
  const networks = useNetworks().rows
  const rows = (group?.endpoints ?? []).map((id) => {
    const subnet = subnets.find((it) => it.id === id)
    return { id, cidr: subnet?.cidr, network: networks.find((it) => it.id === subnet?.network_id) }
  })
  return (
    <Panel title={t('side.ours')} count={group && <bdi>{group.name}</bdi>}>
      {isLoading || !group ? (
        <SkeletonRows rows={2} columns={2} />
      ) : (
        <SmallTable
          label={t('side.ours')}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              ...{ id: 'network', label: t('side.network') },
              render: ({ network, id }) =>
                network ? <Link to={networkResource.paths.view(network.id)}>{network.name}</Link> : <Mono>{id}</Mono>,
            },
            { id: 'range', label: t('side.range'), render: ({ cidr }) => (cidr ? <Mono>{cidr}</Mono> : '–') },
          ]}
        />
      )}
    </Panel>
  )
}

function PeerGroup({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const group = useGroup(connection.peer_ep_group_id)
  return (
    <Panel title={t('side.theirs')} count={group && <bdi>{group.name}</bdi>}>
      <SmallTable
        label={t('side.theirs')}
        rows={group?.endpoints ?? connection.remote_subnets}
        keyOf={(it) => it}
        columns={[{ id: 'range', label: t('side.range'), render: (it) => <CopyableCode>{it}</CopyableCode> }]}
      />
    </Panel>
  )
}
