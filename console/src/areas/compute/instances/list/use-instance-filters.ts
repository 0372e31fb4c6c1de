import { osDistros } from '@mainstay/contract/compute/image-rules'
import type { Network } from '@mainstay/contract/networking/networks'
import { useT } from '../../../../i18n/use-t'
import type { ListFilter } from '../../../../patterns/table/filter-text'
import { useIsAllTenants } from '../../../../session/session'
import { filteredStatuses } from '../instance-status'
import { useEngineHasHa } from '../use-engine-can'
import { usePlacementFilters } from '../../placements/use-placements'

/**
 * List filters (product notes, 01 §2). Filters that apply only across tenants come last. Options are loaded only if
 * `isNeeded`.
 */
export function useInstanceFilters(networks: readonly Network[], isNeeded: boolean): ListFilter[] {
  const t = useT('instances')
  const isAllTenants = useIsAllTenants()
  const hasHa = useEngineHasHa()
  const placementFilters = usePlacementFilters(isNeeded)
  return [
    {
      name: 'status',
      label: t('instances.status'),
      options: filteredStatuses.map(({ value, text }) => ({ value, label: t(text) })),
    },
    { name: 'name', label: t('instances.name') },
    { name: 'ip', label: t('instances.address'), operator: 'any' },
    { name: 'tags', label: t('instances.tag'), operator: 'any' },
    ...(networks.length > 0 && networks.length <= 12
      ? [
          {
            name: 'network_id',
            label: t('instances.network'),
            operator: 'any' as const,
            options: networks.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]
      : []),
    ...placementFilters,
    ...(hasHa
      ? [
          {
            name: 'ha_enabled',
            label: t('instances.ha'),
            operator: 'exact' as const,
            options: [
              { value: 'true', label: t('instances.on') },
              { value: 'false', label: t('instances.off') },
            ],
          },
        ]
      : []),
    { name: 'os_distro', label: t('instances.os'), operator: 'in', options: [...distroOptions] },
    ...(isAllTenants
      ? [
          { name: 'host', label: t('instances.host'), operator: 'exact' as const },
          { name: 'project_id', label: t('instances.project'), operator: 'in' as const },
        ]
      : []),
  ]
}

const distroOptions = osDistros.map(({ id, name }) => ({ value: id, label: name }))
