import { notFound } from '@mainstay/contract/core/problems'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { s3Users, type S3User } from '@mainstay/contract/object-storage/s3-users'
import type { ObjectStoragePort, S3OwnedAccount } from '@mainstay/engines/ports/object-storage'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'
import { objectStorage } from './access.service'

/** Used in place of a domain ID for all domains. */
const ALL = CLUSTER_ID

/** Builds the row of an S3 user. The account of a deleted user is kept and shown as disabled. */
async function shown(account: S3OwnedAccount, { identity }: Pick<Tools, 'identity'>): Promise<S3User> {
  const { user_id: id, domain_id, arn, enabled, keys, usage, quota, quota_objects } = account
  const person = await identity.user(id)
  return {
    ...{ id, email: person?.email ?? null, name: person?.name ?? id, domain_id, arn },
    ...{ is_enabled: enabled && person !== null, keys, usage, quota, quota_objects },
  }
}

/** Returns the account of a user in this scope. Throws `not_found`. */
async function accountIn(storage: ObjectStoragePort, scope: string, user_id: string): Promise<S3OwnedAccount> {
  const account = await storage.account({ user_id, domain_id: scope }, false)
  if (!account || (scope !== ALL && account.domain_id !== scope)) throw notFound()
  return account
}

export const s3UserRoutes = serve(
  s3Users,
  {
    async list({ params: { scope }, query: { count, marker } }, tools) {
      const storage = objectStorage(tools)
      if (scope !== ALL && !(await tools.identity.domain(scope))) throw notFound()
      const found = await storage.accounts(scope === ALL ? null : scope, marker, count + 1)
      const page = found.slice(0, count)
      const is_truncated = found.length > count
      return {
        data: await Promise.all(page.map((account) => shown(account, tools))),
        next_marker: is_truncated ? page.at(-1)!.user_id : null,
        is_truncated,
      }
    },

    async update({ params, body }, tools) {
      const storage = objectStorage(tools)
      const { user_id } = await accountIn(storage, params.scope, params.id)
      const { is_enabled: enabled, quota, quota_objects } = body
      const change = {
        ...(enabled !== undefined && { enabled }),
        ...(quota !== undefined && { quota }),
        ...(quota_objects !== undefined && { quota_objects }),
      }
      return shown(await storage.updateAccount(user_id, change), tools)
    },

    keys: async ({ params }, tools) => ({
      data: (await accountIn(objectStorage(tools), params.scope, params.id)).keys,
    }),

    async createKey({ params, body }, tools) {
      const storage = objectStorage(tools)
      const { user_id } = await accountIn(storage, params.scope, params.id)
      return storage.createKey(user_id, body.name || null)
    },

    async deleteKey({ params }, tools) {
      const storage = objectStorage(tools)
      const { user_id } = await accountIn(storage, params.scope, params.id)
      await storage.deleteKey(user_id, params.key)
    },
  },
  { about: 's3_user' },
)
