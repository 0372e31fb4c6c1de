import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'
import { createRates, takeOne } from '../../http/overload/rates'
import { createFairQueue } from '../../http/overload/fair-queue'
import { limits } from '../../limits'
import { inProject } from '../../session/in-project'
import { makeKeyPair } from './ssh-key-pair.service'

const rsaOf = createRates(limits.rsaKeys.ofUser)
const rsaTurns = createFairQueue(limits.rsaKeys.turns)

/**
 * Generates a key pair. Throws `too_many_requests` or `server_busy` if too many RSA keys are requested, because
 * generating them occupies threads that sign-ins need.
 */
async function generateFor(userId: string, type: Parameters<typeof makeKeyPair>[0], name: string) {
  if (type !== 'ssh-rsa') return makeKeyPair(type, name)
  takeOne(rsaOf, userId, 'rsa')
  return rsaTurns.run(userId, () => makeKeyPair(type, name))
}

export const sshKeyRoutes = serveResource(resources.sshKeys, ({ ports }) => ports.compute.sshKeys, {
  async generate({ scope, body: { name, description, type } }, { ports }) {
    const { publicKey, privateKey } = await generateFor(scope.user_id, type, name)
    const key = await ports.compute.sshKeys.create(inProject(scope), { name, description, public_key: publicKey })
    return { ...key, private_key: privateKey }
  },
})
