import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { nodeRegistration, type RegistrationToken } from '@mainstay/contract/infrastructure/node-registration'
import type { Scope } from '@mainstay/engines/ports/scope'
import { createRates, takeOne } from '../../../../http/overload/rates'
import { serve, type CallRequest } from '../../../../http/serve'
import { limits } from '../../../../limits'
import { networkOf } from '../../../../session/known-sources'
import { enqueue } from '../../../../tasks/job'
import { serverScope } from '../../../../tasks/server-scope'
import type { Tools } from '../../../../tools'
import { installationKey } from '../installation-key'
import { registrationCommand } from './command'
import { refuseKnownMachine, registering, type RegisterArgs } from './register-job'
import { registrationScript } from './script'
import { checkToken, generateToken, readToken, useToken, validSecret, type KeptToken } from './tokens'

const ratesOf = createRates(limits.nodeRegistrations)

function shown(kept: KeptToken | null, request: CallRequest, tools: Tools): RegistrationToken {
  const secret = validSecret(kept)
  return {
    token: secret?.reveal() ?? null,
    command: secret && registrationCommand(tools, request, secret.reveal()),
    created_at: kept?.value.created_at ?? null,
    created_by: kept?.value.created_by.name ?? null,
    expires_at: kept?.value.expires_at ?? null,
    used: kept?.value.used ?? null,
  }
}

export const registrationRoutes = serve(
  nodeRegistration,
  {
    showToken: async ({ request }, tools) => shown(await readToken(tools), request, tools),
    generateToken: async ({ scope, body, request }, tools) =>
      shown(await generateToken(tools, scope, body.ttl), request, tools),
    async script({ request }, { settings }) {
      request.leaveUnrecorded()
      takeOne(ratesOf, networkOf(request.origin.address), 'address')
      const text = Buffer.from(registrationScript((await installationKey(settings)).publicKey))
      const file = { fileName: 'register-node.sh', contentType: 'text/x-shellscript; charset=utf-8' }
      return { ...file, bytes: Readable.from([text]), sizeBytes: text.length }
    },
    async register({ body, request }, tools) {
      takeOne(ratesOf, networkOf(request.origin.address), 'address')
      const { token, hostname, machine_id, port, user, host_key } = body
      const use = await checkToken(tools, token)
      const address = body.address ?? request.origin.address
      const args: RegisterArgs = {
        ...{ node_id: use.replaces?.id ?? randomUUID(), hostname, machine_id, replaces: use.replaces !== null },
        ssh: { address, port, user, host_key: host_key.split(' ').slice(0, 2).join(' ') },
      }
      await tools.inventory.transaction((tx) => refuseKnownMachine(tx, args))
      const host = use.replaces?.host ?? hostname
      const scope: Scope = use.by ? { ...serverScope, user_id: use.by.id, user_name: use.by.name } : serverScope
      await useToken(tools, token, use, args.node_id)
      const subject = { kind: 'node', id: args.node_id, name: host }
      const task_id = await tools.inventory.transaction((tx) => enqueue(tx, registering, { args, subject, scope }))
      return { node_id: args.node_id, host, task_id }
    },
  },
  { about: 'node_registration' },
)
