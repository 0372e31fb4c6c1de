import { backupPlanKind, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import type { PageQuery } from '@mainstay/contract/core/lists/paging'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { storagePolicyKind, type StoragePolicy } from '@mainstay/contract/storage/storage-policies'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Scope } from '@mainstay/engines/ports/scope'
import { deletionLocksOf } from '../../http/serve'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'
import type { Tools } from '../../tools'
import { recycling } from './recycle-bin.service'

/**
 * Converts a filter by the ID of a storage policy to a filter by its name, because volumes refer to the policy by name.
 */
async function byNameOfPolicy(query: PageQuery, scope: Scope, { inventory }: Tools): Promise<PageQuery> {
  const { storage_policy_id: id, ...others } = query as PageQuery & Record<string, unknown>
  if (typeof id !== 'string') return query
  if ('storage_policy' in others) throw fieldProblem('storage_policy_id', 'storage.one_policy')
  const [policy] = await inventory.several<StoragePolicy>(storagePolicyKind, scope, [id])
  return { ...others, storage_policy: policy ? `exact:${policy.name}` : id }
}

/** Converts a filter by the ID of a backup plan to a filter by the IDs of its volumes. */
async function byVolumesOfPlan(query: PageQuery, scope: Scope, { inventory }: Tools): Promise<PageQuery> {
  const { backup_plan_id: id, ...others } = query as PageQuery & Record<string, unknown>
  if (typeof id !== 'string') return query
  if ('id' in others) throw fieldProblem('backup_plan_id', 'storage.id_or_plan')
  const [plan] = await inventory.several<BackupPlan>(backupPlanKind, scope, [id])
  // no volume has the ID of the plan, so the filter matches nothing
  return { ...others, id: plan && plan.volume_ids.length > 0 ? `in:${plan.volume_ids.join(',')}` : id }
}

export const volumeRoutes = serveResource(resources.volumes, ({ ports }) => ports.storage.volumes, {
  ...deletionLocksOf(resources.volumes.kind),
  list: async ({ scope, query }, tools) =>
    tools.inventory.list<Volume>(
      volumeKind,
      scope,
      await byVolumesOfPlan(await byNameOfPolicy(query, scope, tools), scope, tools),
    ),
  async delete({ scope, params, query }, tools) {
    const { volumes } = tools.ports.storage
    const how = await recycling(tools, query)
    const cascade = query.cascade === 'true'
    return how ? volumes.recycle(scope, params.id, how, cascade) : volumes.delete(scope, params.id, cascade)
  },
  extend: ({ scope, params, body }, { ports }) => ports.storage.volumes.extend(scope, params.id, body.size),
  clone: ({ scope, params, body }, { ports }) => ports.storage.volumes.clone(inProject(scope), params.id, body),
  uploadToImage: ({ scope, params, body }, { ports }) =>
    ports.storage.volumes.uploadToImage(inProject(scope), params.id, body.image_name),
  resetState: ({ scope, params }, { ports }) => ports.storage.volumes.resetState(scope, params.id),
})
