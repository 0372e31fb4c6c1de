import { parsePublicKey, publicKeyFaultText } from '@mainstay/contract/compute/ssh-key-rules'
import { notFound, Problem, fieldProblem, problemOf, withField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { SshKeysPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { keyId, keyPath, keyVersion, readKeyId, sshKeyReader } from './shape'

/** Since 2.92, key names may contain dots. */
const dotsVersion = '2.92'

/** SSH key commands. Keys belong to a user, not to a project. Nova stores no descriptions. */
export const sshKeyCommands = (engine: Engine): SshKeysPort => ({
  async create(scope, { name, public_key }) {
    const key = parsePublicKey(public_key)
    if (typeof key === 'string') throw problemOf(publicKeyFaultText[key], { field: 'public_key' })
    const cloud = await engine.as(scope)
    const version = (await cloud.offers('compute', dotsVersion)) ? dotsVersion : keyVersion
    const line = [key.algorithm, key.blob, key.comment].filter(Boolean).join(' ')
    const body = { keypair: { name, type: 'ssh', public_key: line } }
    try {
      await cloud.send('POST', 'compute', '/os-keypairs', z.void(), { version, body })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.data['status'] === 409) {
        throw fieldProblem('name', 'compute.key_name_taken')
      }
      if (error.code === 'validation') {
        throw withField(error, { field: /\bname\b/i.test(error.message) ? 'name' : 'public_key' })
      }
      throw error
    }
    return engine.refresh(sshKeyReader, keyId(scope.user_id, name))
  },

  /** Deletes by ID or name, because the Nova API identifies keys by name. */
  async delete(scope, id) {
    const { userId, name } = readKeyId(id) ?? { userId: scope.user_id, name: id }
    const isOwn = userId === scope.user_id
    if (!isOwn && scope.kind !== 'system') throw notFound()
    const cloud = await engine.as(scope)
    const [path, query] = keyPath(userId, name)
    await cloud.send('DELETE', 'compute', path, z.void(), { version: keyVersion, ...(isOwn ? {} : { query }) })
    await unlessGone(engine.refresh(sshKeyReader, keyId(userId, name)))
  },
})
