import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { floatingIpKind, floatingIps } from '@mainstay/contract/networking/floating-ips'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { useBound } from '../patterns/form/use-bound'
import { useMay } from '../session/may'
import { Select } from '../ui/fields/Select'
import { FloatingIpIcon } from '../ui/icons'
import { useRoutedNetworks } from './use-routed-networks'

const NONE = 'none'

/**
 * Offers a floating IP for a new object. The value is `have:ID` for an existing unassigned address, `new:NETWORK` to
 * allocate one, or null for none. `isOfThoseThere` restricts the choice to existing addresses.
 */
export function FloatingIpChoice({ name, isOfThoseThere = false }: { name: string; isOfThoseThere?: boolean }) {
  const t = useT('compute')
  const may = useMay()
  const { value, onChange, error, isDisabled } = useBound<string | null>(name)
  const { rows: networks } = useRoutedNetworks()
  const { rows: free } = useList(floatingIps.list, floatingIpKind, {
    ...{ stateIn: 'memory', limit: CHOICE_LIMIT, only: { assigned: 'false' } },
    isEnabled: may(floatingIps.list.needs),
  })
  const offersNew = !isOfThoseThere && may(floatingIps.create.needs)
  if (free.length === 0 && (!offersNew || networks.length === 0)) return null
  return (
    <Select
      label={t('pickers.floatingIp')}
      help={t('pickers.floatingIpHelp')}
      value={value ?? NONE}
      onChange={(id) => onChange(id === NONE ? null : id)}
      error={error}
      isDisabled={isDisabled}
      items={[
        { id: NONE, label: t('pickers.noFloatingIp') },
        ...free.map(({ id, floating_ip_address: label, floating_network_name: end }) => ({
          ...{ id: `have:${id}`, label, end, icon: FloatingIpIcon },
        })),
        ...(offersNew
          ? networks.map(({ id, name: network }) => ({
              ...{ id: `new:${id}`, label: t('pickers.newFloatingIp', { network }), icon: FloatingIpIcon },
            }))
          : []),
      ]}
    />
  )
}
