import { flavorKind, flavors, type Flavor } from '@mainstay/contract/compute/flavors'
import { MiB } from '@mainstay/contract/core/bytes'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Amount, Bytes } from '../ui/values/Bytes'
import { PickTable, type PickColumn } from './PickTable'

export interface FlavorPickerProps {
  chosen: string | null
  onChoose: (flavor: Flavor) => void
  disabledBecause?: ((flavor: Flavor) => string | undefined) | undefined
  more?: readonly PickColumn<Flavor>[]
}

/** Flavors with their vCPUs and memory, in the server’s default order. */
export function FlavorPicker({ chosen, onChoose, disabledBecause, more = [] }: FlavorPickerProps) {
  const t = useT('compute')
  const list = useList(flavors.list, flavorKind, { stateIn: 'memory', limit: CHOICE_LIMIT })
  return (
    <PickTable
      label={t('pickers.flavors')}
      list={list}
      chosen={chosen === null ? [] : [chosen]}
      onChoose={onChoose}
      disabledBecause={disabledBecause}
      empty={t('pickers.noFlavors')}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        { id: 'vcpus', label: t('pickers.vcpus'), isAtEnd: true, render: ({ vcpus }) => <Amount of={vcpus} /> },
        { id: 'ram', label: t('pickers.memory'), isAtEnd: true, render: ({ ram }) => <Bytes of={ram * MiB} /> },
        ...more,
      ]}
    />
  )
}
