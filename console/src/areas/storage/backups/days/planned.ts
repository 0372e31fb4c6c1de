import { dayAfter, dayAt, startOfDay } from '@mainstay/contract/storage/local-days'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { nextRuns } from '@mainstay/contract/protection/schedules'

/** The first run of a backup plan on a day. */
export interface PlannedRun {
  plan: BackupPlan
  at: Date
}

/**
 * The backup plans that run on each day up to `until`, in the order of their first run on it. Days are those of the time
 * zone.
 */
export function plannedRuns(plans: readonly BackupPlan[], until: string, zone: string): Map<string, PlannedRun[]> {
  const byDay = new Map<string, PlannedRun[]>()
  const end = startOfDay(dayAfter(until), zone)
  for (const plan of plans) {
    // a plan that is disabled, has no volumes or never runs has no next run
    let at = plan.next_run === null ? undefined : new Date(plan.next_run)
    while (at && at.getTime() < end) {
      const day = dayAt(at.getTime(), zone)
      byDay.set(day, [...(byDay.get(day) ?? []), { plan, at }])
      ;[at] = nextRuns(plan.schedule, new Date(startOfDay(dayAfter(day), zone) - 1), 1)
    }
  }
  for (const runs of byDay.values()) runs.sort((one, other) => one.at.getTime() - other.at.getTime())
  return byDay
}
