import type { Instance } from '@mainstay/contract/compute/instances'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useFormat } from '../../../../../i18n/use-format'
import { useT } from '../../../../../i18n/use-t'
import { useNow } from '../../../../../lib/use-now'
import { Link } from '../../../../../nav/Link'
import { Facts } from '../../../../../patterns/Facts'
import { Time } from '../../../../../ui/values/Time'
import { backupPlanResource } from '../../../../protection/resource'
import css from './InstanceProtection.module.css'
import { wholeOf, type Instant } from './instants'

interface ProtectionFactsProps {
  instance: Instance
  instants: readonly Instant[]
  /** Backup plans that contain volumes of the instance; undefined if unknown. */
  plans: readonly BackupPlan[] | undefined
}

/**
 * Shows how much data would be lost if the instance failed now, how far back it can be restored, and its backup plans.
 */
export function ProtectionFacts({ instance, instants, plans }: ProtectionFactsProps) {
  const t = useT('instance')
  const format = useFormat()
  const now = useNow()
  const whole = wholeOf(
    instants,
    instance.volumes.map(({ id }) => id),
  )
  const [newest] = whole
  const oldest = whole.at(-1)
  const since = (moment: string) => format.duration(now - Date.parse(moment))
  return (
    <Facts
      rows={[
        [
          t('instances.protection.loss'),
          newest ? (
            <span key="loss">
              {t('instances.protection.lossText', { duration: since(newest.takenAt) })}
              <span className={css.dim}>
                {t('instances.protection.newest', { time: <Time key="newest" at={newest.takenAt} show="both" /> })}
              </span>
            </span>
          ) : (
            t('instances.protection.lossAll')
          ),
        ],
        oldest && [
          t('instances.protection.reach'),
          <span key="reach">
            <Time at={oldest.takenAt} show="both" />
            <span className={css.dim}>{t('instances.protection.moments', { count: whole.length })}</span>
          </span>,
        ],
        plans && [
          t('instances.protection.plans'),
          plans.length > 0 && (
            <span key="plans" className={css.plans}>
              {plans.map(({ id, name }) => (
                <Link key={id} to={backupPlanResource.paths.view(id)} dir="auto">
                  {name}
                </Link>
              ))}
            </span>
          ),
        ],
      ]}
    />
  )
}
