import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Panel } from '../../../ui/Panel'
import { volumeBackupResource } from '../../storage/backups/resource'
import { SpaceEstimate } from '../estimate/SpaceEstimate'
import { RunTime } from '../schedule/RunTime'
import { ScheduleSentence } from '../schedule/ScheduleSentence'
import css from './PlanOverview.module.css'
import { PlanRuns } from './PlanRuns'
import { PlanTest } from './PlanTest'

/** The schedule of a plan, its last runs and its properties. */
export function PlanOverview({ plan }: { plan: BackupPlan }) {
  const t = useT('protection')
  const patterns = useT('patterns')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const { id, description, schedule, properties, next_run: next, last_run: last } = plan
  const { test_restore: rule, last_test: test } = plan
  return (
    <div className={css.place}>
      <div className={css.parts}>
        <PlanRuns planId={id} />
        <div className={css.column}>
          <Panel title={t('plans.schedule')}>
            <div className={css.column}>
              <ScheduleSentence schedule={schedule} />
              <Facts
                rows={[
                  [t('plans.nextRun'), next && <RunTime key="next" at={next} />],
                  [t('plans.lastRun'), last && <RunTime key="last" at={last.started_at} />],
                  [t('plans.rotation'), t('plans.rotationFact', { count: properties.recovery_points_rotation })],
                  rule === 'weekly' && [t('tests.rule'), t('tests.weekly')],
                  rule === 'weekly' && test && [t('tests.last'), <PlanTest key="test" test={test} />],
                  may(volumeBackupResource.calls.list.needs) && [
                    t('plans.points'),
                    <Link key="points" to={volumeBackupResource.paths.list()} search={{ backup_plan_id: id }}>
                      {t('plans.showPoints')}
                    </Link>,
                  ],
                ]}
              />
            </div>
          </Panel>
          <SpaceEstimate
            volumeIds={plan.volume_ids}
            rotation={properties.recovery_points_rotation}
            projectId={plan.project_id}
          />
          <Panel title={t('plans.properties')}>
            <Facts
              rows={[
                description !== '' && [t('plans.description'), description],
                ...standardFacts(plan, patterns, isAllTenants),
              ]}
            />
          </Panel>
        </div>
      </div>
    </div>
  )
}
