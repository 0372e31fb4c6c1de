import { Label } from 'react-aria-components/Label'
import { Meter } from 'react-aria-components/Meter'
import type { BackupCoverage } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../../i18n/use-t'
import css from './Coverage.module.css'

/** How many of the volumes of a project have a backup plan. */
export function Coverage({ volumes: { total, protected: count } }: Pick<BackupCoverage, 'volumes'>) {
  const t = useT('protection')
  if (total === 0) return null
  const missing = total - count
  const amount = t('coverage.amount', { count, total })
  const rest = t('coverage.missing', { count: missing })
  return (
    <Meter className={css.meter ?? ''} value={count} maxValue={total} valueLabel={`${amount}, ${rest}`}>
      <div className={css.words}>
        <Label className={css.label ?? ''}>{t('coverage.label')}</Label>
        <bdi>{amount}</bdi>
      </div>
      <div className={css.track}>
        <div className={css.protected} style={{ inlineSize: `${(count / total) * 100}%` }} />
        {missing > 0 && <div className={css.missing} />}
      </div>
      <p className={missing > 0 ? css.warning : css.note}>{rest}</p>
    </Meter>
  )
}
