import { useState } from 'react'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { parseAddress } from '@mainstay/contract/networking/addresses'
import { deviceOwners, portKind, ports } from '@mainstay/contract/networking/ports'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useMay } from '../../../session/may'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { FloatingIpIcon, InstanceIcon } from '../../../ui/icons'
import { OUTSIDE } from './outside'

/** A selected source or destination, and its label. */
export interface ChosenEnd {
  id: string
  label: string
}

interface EndChoiceProps {
  label: string
  chosen: ChosenEnd | null
  onChoose: (end: ChosenEnd | null) => void
}

/** Selects the source or destination of a check: an instance's port, the internet, or a typed address. */
export function EndChoice({ label, chosen, onChoose }: EndChoiceProps) {
  const t = useT('networking')
  const may = useMay()
  const [typed, setTyped] = useState('')
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.label)
  const isAddress = parseAddress(typed.trim()) !== null
  const { rows, isLoading, isChanging } = useList(ports.list, portKind, {
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
    only: {
      device_owner: deviceOwners.instance,
      ...(search && (parseAddress(search.trim()) ? { fixed_ips: `any:${search.trim()}` } : { search })),
    },
    isEnabled: may(ports.list.needs),
  })
  const internet = { id: `address:${OUTSIDE}`, label: t('reach.internet'), icon: FloatingIpIcon }
  const items = [
    ...(isAddress ? [{ id: `address:${typed.trim()}`, label: typed.trim(), icon: FloatingIpIcon }] : []),
    ...rows.map(({ id, device_name, name, fixed_ips }) => ({
      ...{ id: `port:${id}`, label: device_name || name || id, icon: InstanceIcon },
      end: fixed_ips.map(({ ip_address }) => ip_address).join(', '),
    })),
    ...(search === '' ? [internet] : []),
  ]
  const isMissing = chosen && !items.some(({ id }) => id === chosen.id)
  return (
    <ComboBox
      label={label}
      value={chosen?.id ?? null}
      placeholder={t('reach.endSearch')}
      onChange={(id) => {
        const item = items.find((it) => it.id === id)
        onChoose(item ? { id: item.id, label: item.label } : null)
      }}
      onSearch={(text) => {
        setTyped(text)
        onSearch(text)
      }}
      isLoading={isAwaited || isLoading || isChanging}
      items={isMissing ? [chosen, ...items] : items}
    />
  )
}
