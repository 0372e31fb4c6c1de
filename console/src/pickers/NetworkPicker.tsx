import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Badge } from '../ui/values/Badge'
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
            <Badge>{t(router_external ? 'pickers.public' : shared ? 'pickers.shared' : 'pickers.private')}</Badge>
          ),
        },
        { id: 'mtu', label: 'MTU', isAtEnd: true, isWide: true, render: ({ mtu }) => mtu },
      ]}
    />
  )
}
