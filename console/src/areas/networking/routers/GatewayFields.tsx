import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { useRoutedNetworks } from '../../../pickers/use-routed-networks'
import { Select } from '../../../ui/fields/Select'
import { FloatingIpIcon } from '../../../ui/icons'

const NONE = 'none'

/** The external network for a router, and whether the router translates source addresses (SNAT). */
export function GatewayFields() {
  const t = useT('networking')
  const { rows } = useRoutedNetworks()
  const { value, onChange, error, isDisabled } = useBound<string | null>('external')
  const external = useWatched<string | null>('external')
  return (
    <>
      <Select
        label={t('routers.external')}
        help={t(rows.length === 0 ? 'routers.noExternal' : 'routers.externalHelp')}
        value={value ?? NONE}
        onChange={(id) => onChange(id === NONE ? null : id)}
        error={error}
        isDisabled={isDisabled}
        items={[
          { id: NONE, label: t('routers.noGateway') },
          ...rows.map(({ id, name, subnets }) => ({
            ...{ id, label: name, icon: FloatingIpIcon },
            end: subnets.map(({ cidr }) => cidr).join(', '),
          })),
        ]}
      />
      {external !== null && (
        <Checkbox name="snat" help={t('routers.snatHelp')}>
          {t('routers.snat')}
        </Checkbox>
      )}
    </>
  )
}
