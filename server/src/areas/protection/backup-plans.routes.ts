import { backupPlanKind, type BackupCoverage, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { resources } from '@mainstay/contract/resources'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Scope } from '@mainstay/engines/ports/scope'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { everyRow } from '../../http/rows/every-row'
import type { Tools } from '../../tools'
import {
  addVolumes,
  createPlan,
  deletePlan,
  removeVolumes,
  runPlanNow,
  runsOf,
  updatePlan,
} from './backup-plans.service'

/** Number of volumes without a plan that are listed. */
const MOST_UNPROTECTED = 100
/** Rows that are looked at, newest first. */
const MOST_ROWS = 10_000
const AT_ONCE = 1000

export const backupPlanRoutes = serve(
  resources.backupPlans.calls,
  {
    ...readFrom<BackupPlan>(backupPlanKind),
    create: ({ scope, body }, tools) => createPlan(tools, inProject(scope), body),
    update: ({ scope, params, body }, tools) => updatePlan(tools, scope, params.id, body),
    delete: ({ scope, params }, tools) => deletePlan(tools, scope, params.id),
    coverage: ({ scope }, tools) => coverageOf(tools, scope),
    addVolumes: ({ scope, params, body }, tools) => addVolumes(tools, scope, params.id, body),
    removeVolumes: ({ scope, params, body }, tools) => removeVolumes(tools, scope, params.id, body.ids),
    run: ({ scope, params }, tools) => runPlanNow(tools, scope, params.id),
    runs: ({ scope, params }, tools) => runsOf(tools, scope, params.id),
  },
  { kind: backupPlanKind },
)

async function coverageOf({ inventory }: Tools, scope: Scope): Promise<BackupCoverage> {
  const newest = { most: MOST_ROWS, sort: 'created_at:desc' }
  const plans = await everyRow<BackupPlan>({ inventory }, backupPlanKind, scope, newest)
  const ids = [...new Set(plans.rows.flatMap(({ volume_ids }) => volume_ids))]
  const planned = new Set<string>()
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const { id } of await inventory.several<Volume>(volumeKind, scope, ids.slice(at, at + AT_ONCE)))
      planned.add(id)
  const counts = await inventory.countBy(volumeKind, scope, 'status')
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const volumes = await everyRow<Volume>({ inventory }, volumeKind, scope, newest)
  const unprotected = volumes.rows
    .filter(({ id }) => !planned.has(id))
    .slice(0, MOST_UNPROTECTED)
    .map(({ id, name, size, created_at, attachments }) => {
      const { server_id = null, server_name = null } = attachments[0] ?? {}
      return { id, name, size, created_at, server_id, server_name }
    })
  return { volumes: { total, protected: planned.size }, unprotected }
}
