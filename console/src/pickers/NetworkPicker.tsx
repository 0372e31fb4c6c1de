import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Badge } from '../ui/values/Badge'
import { Mono } from '../ui/values/Mono'
import { PickTable } from './PickTable'

export interface NetworkPickerProps {
  chosen: readonly string[]
  onChoose: (network: Network, isChosen: boolean) => void
  isMultiple?: boolean
}

/** Networks of the project, and those shared with it. */
export function NetworkPicker({ chosen, onChoose, isMultiple = false }: NetworkPickerProps) {
  const t = useT('compute')
  const list = useList(networks.list, networkKind, { stateIn: 'memory' })
  return (
    <PickTable
      label={t('pickers.networksMany')}
      list={list}
      chosen={chosen}
      onChoose={onChoose}
      isMultiple={isMultiple}
      disabledBecause={({ status }) => (status === 'ACTIVE' ? undefined : t('pickers.networkNotReady'))}
      empty={t('pickers.noNetworks')}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        {
          id: 'kind',
          label: t('pickers.networkKind'),
          render: ({ router_external, shared }) => (
            <Badge>{t(router_external ? 'pickers.external' : shared ? 'pickers.shared' : 'pickers.private')}</Badge>
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
