import { mayUseNetwork } from '@mainstay/contract/networking/access'
import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Badge } from '../ui/values/Badge'
import { Mono } from '../ui/values/Mono'
import { useSession } from '../session/session'
import { PickTable } from './PickTable'
import { useIsUsableExternalNetwork } from './use-routed-networks'

export interface NetworkPickerProps {
  chosen: readonly string[]
  onChoose: (network: Network, isChosen: boolean) => void
  isMultiple?: boolean
}

/** The project’s networks and the networks shared with it. */
export function NetworkPicker({ chosen, onChoose, isMultiple = false }: NetworkPickerProps) {
  const t = useT('compute')
  const list = useList(networks.list, networkKind, { stateIn: 'memory' })
  const scope = useSession(({ meta }) => meta?.scope)
  const mayRoute = useIsUsableExternalNetwork()
  const whyNot = (network: Network) => {
    if (network.status !== 'ACTIVE') return t('pickers.networkNotReady')
    return !scope || mayUseNetwork(scope, network, 'direct') ? undefined : t('pickers.routedOnly')
  }
  return (
    <PickTable
      label={t('pickers.networksMany')}
      list={list}
      chosen={chosen}
      onChoose={onChoose}
      isMultiple={isMultiple}
      disabledBecause={whyNot}
      empty={t('pickers.noNetworks')}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        {
          id: 'kind',
          label: t('pickers.networkKind'),
          render: (it) => (
            <Badge>{t(mayRoute(it) ? 'pickers.external' : it.shared ? 'pickers.shared' : 'pickers.private')}</Badge>
          ),
        },
        {
          id: 'subnets',
          label: t('pickers.subnets'),
          isWide: true,
          render: ({ subnets }) => <Mono>{subnets.map(({ cidr }) => cidr).join(', ')}</Mono>,
        },
      ]}
    />
  )
}
