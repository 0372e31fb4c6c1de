import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { Bytes } from '../../../ui/values/Bytes'

/** "110 GiB · 2 volumes": each number stays next to its word in right-to-left text too. */
export function InstanceStorage({ volumes }: Pick<Instance, 'volumes'>) {
  const t = useT('instance')
  return (
    <span>
      <Bytes of={volumes.reduce((sum, { size }) => sum + size, 0)} /> ·{' '}
      <bdi>{t('instances.volumeCount', { count: volumes.length })}</bdi>
    </span>
  )
}
