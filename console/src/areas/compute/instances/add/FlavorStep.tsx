import { MiB } from '@mainstay/contract/core/bytes'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { useWatched } from '../../../../patterns/form/use-watched'
import { FlavorPicker } from '../../../../pickers/FlavorPicker'
import { flavorFault, type Boot } from './instance-form'
import { useProjectQuotas } from './use-project-quotas'

/** The flavor. Flavors that are too small for the image or exceed the quota are disabled, with a reason. */
export function FlavorStep() {
  const t = useT('instance')
  const format = useFormat()
  const { value: flavor, onChange } = useBound<Flavor | null>('flavor')
  const boot = useWatched<Boot | null>('boot')
  const count = useWatched<number | null>('count') ?? 1
  const quotas = useProjectQuotas()

  const room = (name: 'vcpus' | 'ram') =>
    quotas && quotas[name].limit >= 0 ? quotas[name].limit - quotas[name].used : Infinity
  function disabledBecause(it: Flavor): string | undefined {
    if (it.vcpus * count > room('vcpus')) return t('instances.why.quotaVcpus', { left: Math.max(0, room('vcpus')) })
    if (it.ram * MiB * count > room('ram'))
      return t('instances.why.quotaRam', { left: format.bytes(Math.max(0, room('ram'))) })
    return flavorFault(it, boot, t)
  }
  return <FlavorPicker chosen={flavor?.id ?? null} onChoose={onChange} disabledBecause={disabledBecause} />
}
