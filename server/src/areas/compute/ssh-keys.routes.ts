import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { notFound } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import type { Tools } from '../../tools'
import { makeKeyPair } from './ssh-key-pair.service'

const fromIndex = readFrom<SshKey>(sshKeyKind)

/** Command-line clients know a key by its name. */
async function byIdOrName(scope: Scope, idOrName: string, { inventory }: Pick<Tools, 'inventory'>): Promise<SshKey> {
  const [byId] = await inventory.several<SshKey>(sshKeyKind, scope, [idOrName])
  if (byId) return byId
  const { data } = await inventory.list<SshKey>(sshKeyKind, scope, { limit: 1, name: `exact:${idOrName}` })
  if (!data[0]) throw notFound()
  return data[0]
}

export const sshKeyRoutes = serve(
  sshKeys,
  {
    ...fromIndex,
    view: (call, tools) => byIdOrName(call.scope, call.params.id, tools),
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
