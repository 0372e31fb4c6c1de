import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { Select } from '../../../ui/fields/Select'
import { RouterIcon } from '../../../ui/icons'
import { useRouters } from '../../../pickers/networking-lists'

const NONE = 'none'

/** Optional router to connect a new network to. */
export function RouterField() {
  const t = useT('networking')
  const { rows } = useRouters()
  const { value, onChange, error, isDisabled } = useBound<string | null>('router')
  if (rows.length === 0) return null
  const chosen = rows.find(({ id }) => id === value)
  const help = chosen
    ? chosen.external_gateway_info
      ? t('networks.routerOut', { network: chosen.external_gateway_info.network_name })
      : t('networks.routerIn')
    : t('networks.routerNone')
  return (
    <Select
      label={t('networks.router')}
      help={help}
      value={value ?? NONE}
      onChange={(id) => onChange(id === NONE ? null : id)}
      error={error}
      isDisabled={isDisabled}
      items={[
        { id: NONE, label: t('networks.noRouter') },
        ...rows.map(({ id, name, external_gateway_info: out }) => ({
          ...{ id, label: name, icon: RouterIcon },
          ...(out && { end: out.network_name }),
        })),
      ]}
    />
  )
}
