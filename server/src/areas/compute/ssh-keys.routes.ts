import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { byIdOr, readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { makeKeyPair } from './ssh-key-pair.service'

const fromIndex = readFrom<SshKey>(sshKeyKind)

export const sshKeyRoutes = serve(
  sshKeys,
  {
    ...fromIndex,
    view: ({ scope, params }, tools) => byIdOr('name', sshKeyKind, scope, params.id, tools),
    create: ({ scope, body }, { ports }) => ports.compute.sshKeys.create(inProject(scope), body),
    async generate({ scope, body: { name, description, type } }, { ports }) {
      const { publicKey, privateKey } = await makeKeyPair(type, name)
      const key = await ports.compute.sshKeys.create(inProject(scope), { name, description, public_key: publicKey })
      return { ...key, private_key: privateKey }
    },
    delete: ({ scope, params }, { ports }) => ports.compute.sshKeys.delete(inProject(scope), params.id),
  },
  { kind: sshKeyKind },
)
