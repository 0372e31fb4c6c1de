import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { Banner } from '../../../ui/feedback/Banner'
import { Time } from '../../../ui/values/Time'
import { instanceResource } from './resource'

/** Explains why an instance is in the error state and what the user can do. Renders nothing if there is no fault. */
export function InstanceFault({ instance }: { instance: Instance }) {
  const { id, fault } = instance
  const t = useT('instance')
  const may = useMay()
  if (!fault) return null
  const toLog = may(instances.log.needs) && (
    <Link to={instanceResource.paths.below(id, 'log')} className={buttonClass({ size: 'small' })}>
      {t('instances.tab.log')}
    </Link>
  )
  return (
    <Banner tone="bad" title={t('instances.fault')} action={toLog}>
      <p>{fault.message}</p>
      {may(instances.reboot.needs) && instanceCan('hardReboot', instance) && <p>{t('instances.faultNext')}</p>}
      <small>
        <bdi>{t('instances.faultCode', { code: fault.code })}</bdi> · <Time at={fault.created} show="both" />
      </small>
    </Banner>
  )
}
