import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import { useFormat } from '../../../../../i18n/use-format'
import { useT } from '../../../../../i18n/use-t'
import { Link } from '../../../../../nav/Link'
import { useMay } from '../../../../../session/may'
import { buttonClass } from '../../../../../ui/button-class'
import { Banner } from '../../../../../ui/feedback/Banner'
import { backupPlanResource } from '../../../../protection/resource'

/** Lists the volumes without a backup plan, with a link to the plans. Renders nothing if every volume has one. */
export function UnplannedVolumes({ names }: { names: readonly string[] }) {
  const t = useT('instance')
  const format = useFormat()
  const may = useMay()
  if (names.length === 0) return null
  return (
    <Banner
      tone="warn"
      action={
        may(backupPlans.addVolumes.needs) && (
          <Link to={backupPlanResource.paths.list()} className={buttonClass({ size: 'small' })}>
            {t('instances.protection.addToPlan')}
          </Link>
        )
      }
    >
      {t('instances.protection.unplanned', { count: names.length, names: format.list(names) })}
    </Banner>
  )
}
