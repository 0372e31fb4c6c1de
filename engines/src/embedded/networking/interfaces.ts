import { networksOf, type Instance, type InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import { invalidState, notFound, Problem } from '@mainstay/contract/core/problems'
import type { InterfacesPort } from '../../ports/networking'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { lockOwn } from '../access'
import { allocatePort, moveAddress, refuseUnprotected, releasePort, type NetworkDraft } from './ports'
import type { Engine } from '../engine'
import { nicOf } from '../compute/instances/create'
import { getPlan, putPlan } from '../compute/instances/plan'
import { changeInstance, lockFor, subjectOf } from '../compute/instances/rows'

const mostInterfaces = 8

const attachInterface = (engine: Engine, scope: Scope, id: string, draft: NetworkDraft) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'attachInterface')
    if (row.network_data.length >= mostInterfaces) {
      throw new Problem('conflict', `A virtual machine has at most ${mostInterfaces} network cards`)
    }
    // what the instance's project may use, also when an operator acts
    const owner = { ...scope, project_id: row.project_id, domain_id: row.domain_id }
    const port = await allocatePort(tx, owner, draft, id, '')
    const cards = [...row.network_data, port.shown]
    const plan = await getPlan(tx, id)
    await putPlan(tx, id, { ...plan, nics: [...plan.nics, nicOf(port)] })
    const changed = await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
    await tx.startJob({
      name: 'compute.server.attach_interface',
      subject: subjectOf(row),
      args: { port: port.shown.port_id },
      scope,
    })
    return changed
  })

/** Another address reaches the guest as it starts, so its machine must be off. */
const updateInterface = (engine: Engine, scope: Scope, id: string, portId: string, change: InstanceInterfaceChange) =>
  engine.records.transaction(async (tx) => {
    const row = await lockOwn<Instance>(tx, 'server', scope, id)
    const card = row.network_data.find((it) => it.port_id === portId)
    if (!card) throw notFound()
    refuseUnprotected(change, '')
    const asked = change.fixed_ips?.map(({ ip_address }) => ip_address)
    if (!asked || isSame(asked, card.fixed_ips)) return row
    if (row.status !== 'SHUTOFF' || row.task_state !== null) {
      const message = 'Shut the virtual machine down first: its guest gets another address as it starts'
      throw invalidState(message, row.status)
    }
    const moved = await moveAddress(tx, card, asked)
    const cards = row.network_data.map((it) => (it.port_id === portId ? moved.shown : it))
    const plan = await getPlan(tx, id)
    await putPlan(tx, id, { ...plan, nics: plan.nics.map((nic) => (nic.id === portId ? nicOf(moved) : nic)) })
    return changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
  })

const isSame = (asked: string[], known: Instance['network_data'][number]['fixed_ips']) =>
  asked.length === known.length && known.every(({ ip_address }) => asked.includes(ip_address))

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

/** Takes the card out of the row and the plan and gives its address back. */
async function removeInterface(tx: RecordsTransaction, id: string, portId: string): Promise<void> {
  const row = await tx.lock<Instance>('server', id)
  if (!row) return
  const cards = row.network_data.filter((card) => card.port_id !== portId)
  if (cards.length !== row.network_data.length) {
    await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
  }
  const plan = await getPlan(tx, id)
  await putPlan(tx, id, { ...plan, nics: plan.nics.filter((nic) => nic.id !== portId) })
  await releasePort(tx, portId)
}

const isUp = async ({ hypervisor }: Engine, id: string) =>
  ['running', 'paused'].includes(await hypervisor.machines.state(id))

const attachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const plan = await engine.records.transaction(async (tx) => ((await tx.get('server', id)) ? getPlan(tx, id) : null))
    const nic = plan?.nics.find((it) => it.id === args['port'])
    if (!plan || !nic) return null
    if (await isUp(engine, id)) await engine.hypervisor.machines.attachNic(id, { ...nic, hostname: plan.hostname })
    return { id }
  },
  onFailure: (job) =>
    engine.records.transaction((tx) => removeInterface(tx, job.subject.id, job.args['port'] as string)),
})

const detachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const portId = args['port'] as string
    const row = await engine.records.transaction((tx) => tx.get<Instance>('server', id))
    if (!row?.network_data.some((card) => card.port_id === portId)) return null
    if (await isUp(engine, id)) await engine.hypervisor.machines.detachNic(id, portId)
    await engine.records.transaction((tx) => removeInterface(tx, id, portId))
    return { id }
  },
})

export const interfaceCommands = (engine: Engine): InterfacesPort => ({
  attach: (scope, id, draft) => attachInterface(engine, scope, id, draft),
  detach: (scope, id, portId) => detachInterface(engine, scope, id, portId),
  update: (scope, id, portId, change) => updateInterface(engine, scope, id, portId, change),
})

/** Handlers by the names of their jobs. */
export const interfaceJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.attach_interface': attachInterfaceJob(engine),
  'compute.server.detach_interface': detachInterfaceJob(engine),
})
