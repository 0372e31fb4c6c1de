import { problem } from '@mainstay/contract/core/problems'
import { s3Keys, type S3Account } from '@mainstay/contract/object-storage/s3-keys'
import type { S3OwnedAccount } from '@mainstay/engines/ports/object-storage'
import { serve } from '../../http/serve'
import { ownAccount } from './access.service'

const shown = ({ user_id: _, domain_id: __, ...account }: S3OwnedAccount): S3Account => account

export const s3KeyRoutes = serve(
  s3Keys,
  {
    account: async ({ caller }, tools) => shown((await ownAccount(tools, caller)).account),

    async create({ caller, body }, tools) {
      // the key would remain valid after the token expires or is revoked
      if (caller.is_for_programs) throw problem('objectStorage.token_creates_no_keys')
      const { storage, account } = await ownAccount(tools, caller)
      return storage.createKey(account.user_id, body.name || null)
    },

    async update({ caller, params, body }, tools) {
      const { storage, account } = await ownAccount(tools, caller)
      const { enabled, name } = body
      const change = { ...(enabled !== undefined && { enabled }), ...(name !== undefined && { name }) }
      const changed = await storage.updateKey(account.user_id, params.key, change)
      return [changed, ...account.keys.filter(({ acc_key }) => acc_key !== changed.acc_key)]
    },

    async delete({ caller, params }, tools) {
      const { storage, account } = await ownAccount(tools, caller)
      await storage.deleteKey(account.user_id, params.key)
    },
  },
  { about: 's3_key' },
)
