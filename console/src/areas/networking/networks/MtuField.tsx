import { DEFAULT_MTU, JUMBO_MTU, MAX_MTU, MIN_MTU } from '@mainstay/contract/networking/address-texts'
import { useT } from '../../../i18n/use-t'
import { NumberField } from '../../../patterns/form/form-fields'

/** The `mtu` field in network forms. */
export function MtuField() {
  const t = useT('networking')
  const help = t('networks.mtuHelp', { usual: String(DEFAULT_MTU), jumbo: String(JUMBO_MTU) })
  return <NumberField name="mtu" label={t('networks.mtu')} help={help} minValue={MIN_MTU} maxValue={MAX_MTU} />
}
