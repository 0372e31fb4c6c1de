import { networksOf, type Instance, type InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import { notFound, problem } from '@mainstay/contract/core/problems'
import type { Port } from '@mainstay/contract/networking/ports'
import type { InterfacesPort } from '../../../ports/networking'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import type { Engine } from '../../engine'
import { getPlan, putPlan } from '../../rows/instance-plan'
import { changeInstance, lockFor, subjectOf } from './rows'
import { checkQuotas } from '../../quotas'
import { changeLinks } from '../../networking/port-commands'
import { networkOfDraft, releaseCard, takePort } from '../../networking/kept-ports'
import { allocatePort, nicOf, type NetworkDraft } from '../../networking/ports'
import { changing, lockNetworks } from '../../networking/rows'

const mostInterfaces = 8

const attachInterface = (engine: Engine, scope: Scope, id: string, draft: NetworkDraft) =>
  changing(engine, async (tx) => {
    const row = await lockFor(tx, scope, id, 'attachInterface')
    if (row.network_data.length >= mostInterfaces) {
      throw problem('compute.too_many_interfaces', { most: mostInterfaces })
    }
    // applies the permissions of the instance's project, even if an operator makes the request
    const owner = { ...scope, project_id: row.project_id, domain_id: row.domain_id }
    await lockNetworks(tx, [await networkOfDraft(tx, draft, '')])
    if (draft.port_id === undefined) await checkQuotas(engine, tx, owner, { ports: { amount: 1, field: 'id' } })
    const plan = await getPlan(tx, id)
    const holder = { id, name: row.name, hostName: plan.hostname }
    const { shown, network } =
      draft.port_id === undefined
        ? await allocatePort(engine, tx, owner, draft, holder, '')
        : await takePort(tx, owner, draft, holder, '')
    const cards = [...row.network_data, shown]
    await putPlan(tx, id, { ...plan, nics: [...plan.nics, nicOf(shown, network)] })
    const changed = await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
    await tx.startJob({
      name: 'compute.server.attach_interface',
      subject: subjectOf(row),
      args: { port: shown.port_id },
      scope,
    })
    return changed
  })

const updateInterface = (engine: Engine, scope: Scope, id: string, portId: string, change: InstanceInterfaceChange) =>
  changing(engine, async (tx) => {
    const row = await lockOwn<Instance>(tx, 'server', scope, id)
    if (!row.network_data.some((it) => it.port_id === portId)) throw notFound()
    const port = await tx.get<Port>('port', portId)
    if (!port) throw notFound()
    // clients send an empty list to leave the groups unchanged
    const { security_groups: named = [], ...others } = change
    await changeLinks(engine, tx, scope, {
      seen: port,
      server: row,
      change: named.length > 0 ? change : others,
      at: '',
    })
    return (await tx.get<Instance>('server', id)) ?? row
  })

const detachInterface = (engine: Engine, scope: Scope, id: string, portId: string) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'detachInterface')
    if (!row.network_data.some((card) => card.port_id === portId)) throw notFound()
    await tx.startJob({
      name: 'compute.server.detach_interface',
      subject: subjectOf(row),
      args: { port: portId },
      scope,
    })
    return row
  })

/** Removes the network interface from the row and the plan, and releases its port. */
async function removeInterface(tx: RecordsTransaction, id: string, portId: string): Promise<void> {
  const row = await tx.lock<Instance>('server', id)
  if (!row) return
  const cards = row.network_data.filter((card) => card.port_id !== portId)
  if (cards.length !== row.network_data.length) {
    await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
  }
  const plan = await getPlan(tx, id)
  await putPlan(tx, id, { ...plan, nics: plan.nics.filter((nic) => nic.id !== portId) })
  await releaseCard(tx, portId)
}

const isUp = async ({ hypervisor }: Engine, id: string) =>
  ['running', 'paused'].includes(await hypervisor.machines.state(id))

const attachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const plan = await engine.records.transaction(async (tx) => ((await tx.get('server', id)) ? getPlan(tx, id) : null))
    const nic = plan?.nics.find((it) => it.id === args['port'])
    if (!plan || !nic) return null
    if (!(await isUp(engine, id))) return { id }
    const [plugged] = await engine.carrier.plugged([{ ...nic, hostname: plan.hostname }])
    if (plugged) await engine.hypervisor.machines.attachNic(id, plugged)
    return { id }
  },
  onFailure: (job) => changing(engine, (tx) => removeInterface(tx, job.subject.id, job.args['port'] as string)),
})

const detachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const portId = args['port'] as string
    const row = await engine.records.transaction((tx) => tx.get<Instance>('server', id))
    if (!row?.network_data.some((card) => card.port_id === portId)) return null
    if (await isUp(engine, id)) await engine.hypervisor.machines.detachNic(id, portId)
    await changing(engine, (tx) => removeInterface(tx, id, portId))
    return { id }
  },
})

export const interfaceCommands = (engine: Engine): InterfacesPort => ({
  attach: (scope, id, draft) => attachInterface(engine, scope, id, draft),
  detach: (scope, id, portId) => detachInterface(engine, scope, id, portId),
  update: (scope, id, portId, change) => updateInterface(engine, scope, id, portId, change),
})

/** Returns the job handlers, keyed by job name. */
export const interfaceJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.attach_interface': attachInterfaceJob(engine),
  'compute.server.detach_interface': detachInterfaceJob(engine),
})
