import * as z from 'zod'
import type { DomainsPort } from '../../../ports/directory'
import { refuseDefaultDomain, refuseFullDomain } from '../../../ports/directory-rules'
import type { DirectoryContext } from './context'
import { refuseLockOut } from './rules'
import { inSteps } from './steps'
import { WireId } from './wire'
import { at, idsOf } from './world'

export const domainCommands = (directory: DirectoryContext): DomainsPort => ({
  async create(scope, { name, description, enabled }) {
    const send = await directory.commands(scope, 'domain')
    const body = { domain: { name, description, enabled } }
    const { domain } = await send('POST', 'identity', '/domains', z.object({ domain: WireId }), { body })
    return (await directory.touched({ domain: [domain.id] })).domain(domain.id)
  },

  async update(scope, id, change) {
    if (change.enabled === false) refuseDefaultDomain(id, 'disabled')
    await directory.domain(id)
    const send = await directory.commands(scope, 'domain')
    await send('PATCH', 'identity', at('domains', id), z.void(), { body: { domain: change } })
    // this changes the permissions of all users in the domain
    return (await directory.touched({ domain: [id] }, change.enabled === undefined ? [] : [''])).domain(id)
  },

  async delete(scope, id, how) {
    const { caller } = directory
    const domain = await directory.domain(id)
    refuseDefaultDomain(id, 'deleted')
    const [projects, users, groups] = await Promise.all(
      (['projects', 'users', 'groups'] as const).map((list) => idsOf(caller, `/${list}`, list, { domain_id: id })),
    )
    refuseFullDomain(projects!.length, users!.length, how)
    const accountId = await directory.accountId()
    for (const user of users!) refuseLockOut(scope, user, accountId, 'deleted')
    const send = await directory.commands(scope, 'domain')
    const setEnabled = (enabled: boolean) =>
      send('PATCH', 'identity', at('domains', id), z.void(), { body: { domain: { enabled } } })
    await inSteps(async (step) => {
      // Keystone deletes only disabled domains
      await step(
        () => setEnabled(false),
        () => setEnabled(domain.enabled),
      )
      await step(() => send('DELETE', 'identity', at('domains', id), z.void()))
    }).catch(async (error: unknown) => {
      await directory.touched({ domain: [id] }).catch(() => undefined)
      throw error
    })
    await directory.touched({ user: users!, group: groups!, domain: [id] }, [''])
  },
})
