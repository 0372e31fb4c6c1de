import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { Bytes } from '../../../ui/values/Bytes'

/** Renders "110 GiB · 2 volumes" so that each number stays next to its unit in right-to-left text. */
export function InstanceStorage({ volumes }: Pick<Instance, 'volumes'>) {
  const t = useT('instance')
  return (
    <span>
      <Bytes of={volumes.reduce((sum, { size }) => sum + size, 0)} /> ·{' '}
      <bdi>{t('instances.volumeCount', { count: volumes.length })}</bdi>
    </span>
  )
}
