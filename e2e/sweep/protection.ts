import type { APIRequestContext } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import type { SweptPage } from './swept-page'

/**
 * Creates a backup plan with a volume, for the pages that show one. It is disabled, so that it does not run during the
 * sweep. Returns its ID by kind.
 */
export async function prepareProtection(tenant: APIRequestContext, volume: string): Promise<Record<string, string>> {
  const { path } = backupPlans.list
  const { data } = (await (await tenant.get(`${path}?name=exact:swept-plan`)).json()) as { data: BackupPlan[] }
  const draft = {
    ...{ name: 'swept-plan', description: 'schema 41', disabled: true },
    schedule: { hour: '2,14', day: '15,31', month: '*', day_of_week: '*' },
    properties: { recovery_points_rotation: 14 },
  }
  const { id } = data[0] ?? ((await (await tenant.post(path, { data: draft })).json()) as BackupPlan)
  await tenant.post(fillPath(backupPlans.addVolumes.path, { id }), { data: { ids: [volume], move: true } })
  return { backup_plan: id }
}

const path = 'compute/backup-plans'
const one = `/${path}/:backup_plan`

/** Exceptions to the default sweep for backup plan pages. */
export const protectionPages: Readonly<Record<string, Partial<SweptPage>>> = {
  [path]: { at: `/${path}`, action: 'Create backup plan' },
  [`${path}/$id`]: { at: one, action: 'Run now' },
  [`${path}/$id/edit`]: { at: `${one}/edit`, action: 'Name' },
  [`${path}/$id/$tab`]: { at: `${one}/volumes`, action: 'Add volumes' },
}
