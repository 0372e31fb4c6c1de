import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { Banner } from '../../../ui/feedback/Banner'
import { Time } from '../../../ui/values/Time'

/** Why an instance is in error; nothing where it is not. */
export function InstanceFault({ fault }: Pick<Instance, 'fault'>) {
  const t = useT('instance')
  if (!fault) return null
  return (
    <Banner tone="bad" title={t('instances.fault')}>
      <p>{fault.message}</p>
      <small>
        <bdi>{t('instances.faultCode', { code: fault.code })}</bdi> · <Time at={fault.created} show="both" />
      </small>
    </Banner>
  )
}
