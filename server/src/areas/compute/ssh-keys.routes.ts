import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { makeKeyPair } from './ssh-key-pair.service'

export const sshKeyRoutes = serve(
  sshKeys,
  {
    ...readFrom<SshKey>(sshKeyKind),
    create: ({ scope, body }, { compute }) => compute.sshKeys.create(inProject(scope), body),
    async generate({ scope, body: { name, description, type } }, { compute }) {
      const { publicKey, privateKey } = await makeKeyPair(type, name)
      const key = await compute.sshKeys.create(inProject(scope), { name, description, public_key: publicKey })
      return { ...key, private_key: privateKey }
    },
    delete: ({ scope, params }, { compute }) => compute.sshKeys.delete(inProject(scope), params.id),
  },
  { kind: sshKeyKind },
)
