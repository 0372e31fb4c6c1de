import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  nodeRegistration,
  type NodeRegistration,
  type RegistrationToken,
} from '@mainstay/contract/infrastructure/node-registration'
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
import { nodeIdFor, registering, type RegisterArgs } from './register-job'
import { registrationScript } from './script'
import { checkToken, generateToken, readToken, useToken, validSecret, type KeptToken } from './tokens'

const ratesOf = createRates(limits.nodeRegistrations)

function shown(kept: KeptToken | null, request: CallRequest, tools: Tools): RegistrationToken {
  const secret = validSecret(kept)
  const told = secret && registrationCommand(tools, request, secret.reveal())
  return {
    token: secret?.reveal() ?? null,
    command: told?.command ?? null,
    warning: told?.warning ?? null,
    created_at: kept?.value.created_at ?? null,
    created_by: kept?.value.created_by.name ?? null,
    expires_at: kept?.value.expires_at ?? null,
    used: kept?.value.used ?? null,
  }
}

/** Starts the registration of a host that has reported itself. This uses up the token. */
async function begin(body: NodeRegistration, request: CallRequest, tools: Tools) {
  const { token, hostname, machine_id, port, user, host_key } = body
  const use = await checkToken(tools, token)
  const address = body.address ?? request.origin.address
  const host = use.replaces?.host ?? hostname
  const scope: Scope = use.by ? { ...serverScope, user_id: use.by.id, user_name: use.by.name } : serverScope
  const begun = await useToken(tools, { token, use }, async (tx, db) => {
    const reported = {
      node_id: use.replaces?.id ?? randomUUID(),
      hostname,
      machine_id,
      replaces: use.replaces !== null,
    }
    const args: RegisterArgs = {
      ...{ ...reported, node_id: await nodeIdFor(tx, db, reported) },
      ssh: { address, port, user, host_key: host_key.split(' ').slice(0, 2).join(' ') },
    }
    const subject = { kind: 'node', id: args.node_id, name: host }
    return { node_id: args.node_id, task_id: await enqueue(tx, registering, { args, subject, scope }) }
  })
  return { ...begun, host }
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
      try {
        takeOne(ratesOf, networkOf(request.origin.address), 'address')
        return await begin(body, request, tools)
      } catch (error) {
        // anyone may make this call, so it must not fill the audit log
        request.leaveUnrecorded()
        throw error
      }
    },
  },
  { about: 'node_registration' },
)
