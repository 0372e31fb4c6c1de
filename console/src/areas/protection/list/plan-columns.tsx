import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { columns } from '../../../patterns/table/columns'
import { planStatus } from '../plan-words'
import { backupPlanResource } from '../resource'
import { RunResult } from '../RunResult'
import { RunTime } from '../schedule/RunTime'
import { ScheduleCell } from '../schedule/ScheduleCell'

const column = columns<BackupPlan>('protection')

export const planColumns = [
  column.link('name', 'plans.name', backupPlanResource.paths.view, { width: 180 }),
  column.status('status', 'plans.status', planStatus, { width: 130 }),
  column.node('schedule', 'plans.schedule', ({ schedule }) => <ScheduleCell schedule={schedule} />, {
    width: 240,
    card: 'plain',
  }),
  column.node('last_run', 'plans.lastResult', ({ last_run: run }) => run && <RunResult run={run} />, {
    width: 260,
    card: 'plain',
  }),
  column.node('next_run', 'plans.nextRun', ({ next_run: at }) => at && <RunTime at={at} />, {
    width: 170,
    card: 'plain',
  }),
  column.number('volumes_count', 'plans.volumes', undefined, { width: 90 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('description', 'plans.description', { isHidden: true, width: 220 }),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at'),
  column.ownId(),
]
