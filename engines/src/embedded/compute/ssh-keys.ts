import { randomUUID } from 'node:crypto'
import { parsePublicKey, publicKeyFaultText } from '@mainstay/contract/compute/ssh-key-rules'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { notFound, fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import type { SshKeysPort } from '../../ports/compute'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { sshFingerprint } from '../../ssh-fingerprint'
import type { Engine } from '../engine'

const ownKeys = (tx: RecordsTransaction, { project_id, user_id }: ProjectScope, name: string) =>
  tx.find<SshKey>('key', { project_id, user_id, name }, 1)

export const sshKeyCommands = ({ records }: Engine): SshKeysPort => ({
  async create(scope, { name, description, public_key }) {
    const key = parsePublicKey(public_key)
    if (typeof key === 'string') throw problemOf(publicKeyFaultText[key], { field: 'public_key' })
    return records.transaction(async (tx) => {
      await tx.exclusive(`keys:${scope.project_id}:${scope.user_id}`)
      const [same] = await ownKeys(tx, scope, name)
      if (same) throw fieldProblem('name', 'compute.key_name_taken')
      const row: SshKey = {
        id: randomUUID(),
        name,
        description,
        type: key.type,
        public_key: [key.algorithm, key.blob, key.comment].filter(Boolean).join(' '),
        fingerprint: sshFingerprint(key.blob),
        weak: key.weak,
        project_id: scope.project_id,
        domain_id: scope.domain_id,
        user_id: scope.user_id,
        created_at: new Date().toISOString(),
      }
      await tx.put('key', row)
      return row
    })
  },
  /** Accepts an ID or a name, because clients identify keys by name. */
  delete: (scope, id) =>
    records.transaction(async (tx) => {
      const row = (await tx.lock<SshKey>('key', id)) ?? (await ownKeys(tx, scope, id))[0]
      const isOwn = row && row.project_id === scope.project_id && row.user_id === scope.user_id
      if (!row || !(isOwn || scope.kind === 'system')) throw notFound()
      await tx.remove('key', row.id)
    }),
})
