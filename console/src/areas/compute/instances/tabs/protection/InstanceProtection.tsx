import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { problemText } from '../../../../../api/problem-text'
import { useT } from '../../../../../i18n/use-t'
import { useDelayed } from '../../../../../lib/use-delayed'
import { useAppNavigate } from '../../../../../nav/use-app-navigate'
import { useMay } from '../../../../../session/may'
import { Button } from '../../../../../ui/Button'
import { EmptyState } from '../../../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../../../ui/feedback/Skeleton'
import { RecoveryIcon } from '../../../../../ui/icons'
import { instantPath } from '../../../../storage/backups/resource'
import { instanceResource } from '../../resource'
import type { InstanceTabProps } from '../tab-props'
import css from './InstanceProtection.module.css'
import { InstantTable } from './InstantTable'
import { ProtectionFacts } from './ProtectionFacts'
import { UnplannedVolumes } from './UnplannedVolumes'
import { useProtection } from './use-protection'

/** Shows how an instance is protected: how much data would be lost now, its backup plans, and its recovery points. */
export default function InstanceProtection({ instance }: InstanceTabProps) {
  const t = useT('instance')
  const instances = useT('instances')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const may = useMay()
  const go = useAppNavigate()
  const { instants, ofPlans, isLoading, list } = useProtection(instance)
  const isLate = useDelayed(isLoading)
  const tab = instanceResource.paths.below(instance.id, 'protection')
  const create = may(volumeBackups.createInstant.needs) && (
    <Button
      icon={RecoveryIcon}
      disabledBecause={instance.volumes.length === 0 ? instances('instances.why.noVolumes') : undefined}
      onPress={() => go(instantPath(tab), { keepsSearch: true })}
    >
      {instances('instances.action.backUp')}
    </Button>
  )
  if (list.problem)
    return (
      <ErrorPanel
        title={patterns('table.loadFailed')}
        why={problemText(list.problem, shell)}
        id={list.problem.requestId}
        onRetry={list.reload}
      />
    )
  if (isLoading) return isLate ? <SkeletonRows rows={5} columns={3} /> : null
  return (
    <div className={css.parts}>
      {instance.volumes.length > 0 && (
        <ProtectionFacts instance={instance} instants={instants} plans={ofPlans?.plans} />
      )}
      {ofPlans && <UnplannedVolumes names={ofPlans.unprotected} />}
      {instants.length === 0 ? (
        <EmptyState icon={RecoveryIcon} action={create}>
          {t('instances.protection.empty')}
        </EmptyState>
      ) : (
        <>
          {create && <div>{create}</div>}
          <InstantTable instance={instance} instants={instants} plans={ofPlans?.plans} tab={tab} />
        </>
      )}
    </div>
  )
}
