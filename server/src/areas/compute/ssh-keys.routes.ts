import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'
import { makeKeyPair } from './ssh-key-pair.service'

export const sshKeyRoutes = serveResource(resources.sshKeys, ({ ports }) => ports.compute.sshKeys, {
  async generate({ scope, body: { name, description, type } }, { ports }) {
    const { publicKey, privateKey } = await makeKeyPair(type, name)
    const key = await ports.compute.sshKeys.create(inProject(scope), { name, description, public_key: publicKey })
    return { ...key, private_key: privateKey }
  },
})
