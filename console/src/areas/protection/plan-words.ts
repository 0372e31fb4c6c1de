import type {
  BackupPlan,
  BackupPlanRun,
  BackupPlanStatus,
  BackupPlanTest,
} from '@mainstay/contract/protection/backup-plans'
import type { Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import type { Status } from '../../patterns/table/columns'
import type { Tone } from '../../ui/tone'

type T = Translate<'protection'>

const statusWords: Readonly<Record<BackupPlanStatus, readonly [Tone, Key<'protection'>]>> = {
  Scheduled: ['ok', 'plans.is.scheduled'],
  Running: ['busy', 'plans.is.running'],
  Disabled: ['idle', 'plans.is.disabled'],
  Error: ['bad', 'plans.is.error'],
  'No volumes': ['warn', 'plans.is.noVolumes'],
}
export const planStatuses = Object.keys(statusWords) as BackupPlanStatus[]
export const planStatusText = (status: BackupPlanStatus, t: T): string => t(statusWords[status][1])

export function planStatus({ status }: Pick<BackupPlan, 'status'>, t: T): Status {
  const [tone, key] = statusWords[status]
  return { tone, text: t(key) }
}

type Ended = Pick<BackupPlanRun, 'ended_at' | 'created' | 'failures' | 'error'>

/** The result of a run, with the reason of the first failure. */
export function runResult({ ended_at, created, failures, error }: Ended, t: T): Status {
  if (ended_at === null) return { tone: 'busy', text: t('runs.running', { count: created }) }
  if (error !== null) return { tone: 'bad', text: t('runs.failed', { reason: error }) }
  const [first] = failures
  if (!first) return { tone: 'ok', text: t('runs.created', { count: created }) }
  return {
    tone: created === 0 ? 'bad' : 'warn',
    text: t('runs.someFailed', { created, failed: failures.length, reason: first.reason }),
  }
}

/** The result of an automatic test restore. */
export function testResult({ result, reason }: Pick<BackupPlanTest, 'result' | 'reason'>, t: T): Status {
  const results: Record<BackupPlanTest['result'], Status> = {
    running: { tone: 'busy', text: t('tests.running') },
    confirmed: { tone: 'ok', text: t('tests.confirmed') },
    started: { tone: 'ok', text: t('tests.started') },
    failed: { tone: 'bad', text: t('tests.failed', { reason: reason ?? '' }) },
    skipped: { tone: 'warn', text: t('tests.skipped', { reason: reason ?? '' }) },
  }
  return results[result]
}
