import { MAX_DELAY_SECONDS, MAX_RETRIES, type MonitorType } from '@mainstay/contract/load-balancing/members'
import { monitorsOf } from '@mainstay/contract/load-balancing/forwarding'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, Select, TextField } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { Banner } from '../../../ui/feedback/Banner'
import css from '../load-balancing.module.css'
import { monitorNames } from '../words'
import { forwardingOf, type ForwardingId } from './pool-form'

/** Form fields for the health check. */
export function MonitorFields({ at = '' }: { at?: string }) {
  const t = useT('loadBalancing')
  const forwarding = forwardingOf(useWatched<ForwardingId>(`${at}forwarding`))
  const isOn = useWatched<boolean>(`${at}monitor.isOn`)
  const type = useWatched<MonitorType>(`${at}monitor.type`)
  const seconds = { unit: t('monitor.seconds'), minValue: 1, maxValue: MAX_DELAY_SECONDS }
  const times = { minValue: 1, maxValue: MAX_RETRIES }
  return (
    <>
      <Checkbox name={`${at}monitor.isOn`}>{t('monitor.isOn')}</Checkbox>
      {!isOn && <Banner tone="warn">{t('monitor.off')}</Banner>}
      {isOn && (
        <>
          <Select
            name={`${at}monitor.type`}
            label={t('monitor.type')}
            items={monitorsOf(forwarding).map((id) => ({ id, label: monitorNames[id] }))}
          />
          {(type === 'HTTP' || type === 'HTTPS') && (
            <TextField name={`${at}monitor.path`} label={t('monitor.path')} help={t('monitor.pathHelp')} isMono />
          )}
          <div className={css.pair}>
            <NumberField name={`${at}monitor.delay`} label={t('monitor.delay')} {...seconds} />
            <NumberField name={`${at}monitor.timeout`} label={t('monitor.timeout')} {...seconds} />
            <NumberField name={`${at}monitor.rise`} label={t('monitor.rise')} unit={t('monitor.answers')} {...times} />
            <NumberField name={`${at}monitor.fall`} label={t('monitor.fall')} unit={t('monitor.failures')} {...times} />
          </div>
        </>
      )}
    </>
  )
}
